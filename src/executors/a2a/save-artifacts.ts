import type { Artifact, Part } from "@a2a-js/sdk";
import { A2A_FILE_BYTES_MAX, A2A_FILES_MAX, A2A_FILES_TIMEOUT_MS } from "./limits.ts";
import type { Deliverable } from "../../tasks/model/task.ts";
import { formatCount, toSingleLine } from "../../kernel/text.ts";
import { createFileNamer, toFileStem } from "../../tasks/model/files.ts";
import type { ExecutionContext } from "../contract.ts";
import type { A2aTransport } from "./transport.ts";
import { addUtf8Charset } from "../../kernel/media-type.ts";

const NOTES_MAX = 10;
const NAME_CHARACTERS_MAX = 200;
const MEBIBYTE = 1024 * 1024;

/** The stored files of an outcome, and sentences about the files that could not be stored. */
export interface SavedArtifacts {
  readonly deliverables: readonly Deliverable[];
  readonly notes: readonly string[];
}

/** An artifact, or a message that serves as the result. */
export type FileSource = Pick<Artifact, "artifactId" | "name" | "parts">;

/** Stores the agent's artifacts as files. `requestedTypes` are the deliverable types that the task requests. */
export async function saveArtifacts(
  artifacts: Iterable<FileSource>,
  requestedTypes: readonly string[],
  transport: A2aTransport,
  context: Pick<ExecutionContext, "saveFile">,
  signal: AbortSignal,
): Promise<SavedArtifacts> {
  const files = toArtifactFiles(artifacts);
  const nameFor = createFileNamer();
  const deliverables: Deliverable[] = [];
  const notes: string[] = [];
  const endsAt = Date.now() + A2A_FILES_TIMEOUT_MS;
  for (const file of files.slice(0, A2A_FILES_MAX)) {
    const bytes = await loadFileBytes(file, transport, endsAt, signal);
    if (typeof bytes === "string") {
      notes.push(bytes);
      continue;
    }
    const name = nameFor(file.stem, file.extension);
    const type = selectDeliverableType(file, requestedTypes);
    deliverables.push(await context.saveFile({ type, name, format: file.format, bytes }));
  }
  const excess = files.length - A2A_FILES_MAX;
  if (excess > 0)
    notes.push(`Not stored: ${formatCount(excess, "file")} above the limit of ${A2A_FILES_MAX}.`);
  const omitted = notes.length - NOTES_MAX;
  if (omitted > 0) notes.splice(NOTES_MAX, omitted, `Not stored: ${omitted} more.`);
  return { deliverables, notes };
}

/** The bytes of a file, or a sentence that says why it is not stored. */
async function loadFileBytes(
  { stem, extension, content }: ArtifactFile,
  transport: A2aTransport,
  endsAt: number,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const name = `${stem}.${extension}`;
  const { $case, value } = content;
  if ($case === "text") return checkFileSize(name, new TextEncoder().encode(value));
  const inline = transport.inlineBytes.find(value);
  if (inline?.ok === true) return checkFileSize(name, inline.value);
  if (inline?.ok === false) return `Not stored: ${name}, whose bytes ${inline.failure}.`;
  const timeoutMs = endsAt - Date.now();
  const bounds = { timeoutMs, bytesMax: A2A_FILE_BYTES_MAX };
  const file = timeoutMs > 0 ? await transport.fetchFile(value, bounds, signal) : null;
  if (file !== null) return file.bytes;
  return `Not stored: ${name}, located at ${toSingleLine(value, NAME_CHARACTERS_MAX)}.`;
}

function checkFileSize(name: string, bytes: Uint8Array): Uint8Array | string {
  if (bytes.byteLength <= A2A_FILE_BYTES_MAX) return bytes;
  return `Not stored: ${name}, which is larger than ${A2A_FILE_BYTES_MAX / MEBIBYTE} MiB.`;
}

/** The requested type that the file's name contains, or the only requested type, or else the file's name. */
function selectDeliverableType({ stem }: ArtifactFile, requestedTypes: readonly string[]): string {
  const named = requestedTypes.find((type) => stem.includes(type.toLowerCase()));
  const [only] = requestedTypes.length === 1 ? requestedTypes : [];
  return named ?? only ?? stem;
}

/** A file in an artifact. `content` is its text or the URL of its bytes. */
interface ArtifactFile {
  readonly stem: string;
  readonly extension: string;
  readonly format: string;
  readonly content: { readonly $case: "text" | "url"; readonly value: string };
}

/** The files in all artifacts, in order. A part without content does not become a file. */
export function toArtifactFiles(artifacts: Iterable<FileSource>): ArtifactFile[] {
  return [...artifacts].flatMap((artifact) =>
    joinTexts(artifact.parts).flatMap((part) => toArtifactFile(artifact, part) ?? []),
  );
}

/** Joins consecutive text parts of the same file, because streamed text arrives in several parts. */
function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts.filter(({ content }) => content !== undefined)) {
    const last = joined.at(-1);
    if (
      last?.content?.$case === "text" &&
      part.content?.$case === "text" &&
      last.filename === part.filename &&
      last.mediaType === part.mediaType
    ) {
      const value = last.content.value + part.content.value;
      joined.splice(-1, 1, { ...part, content: { $case: "text", value } });
    } else joined.push(part);
  }
  return joined;
}

function toArtifactFile(
  artifact: FileSource,
  { content, filename, mediaType }: Part,
): ArtifactFile | null {
  // The transport replaces raw bytes with a URL.
  if (content === undefined || content.$case === "raw") return null;
  const nameInUrl = content.$case === "url" ? findNameInUrl(content.value) : "";
  const path = filename || nameInUrl || artifact.name || artifact.artifactId;
  const name = path.split(/[/\\]/).at(-1) ?? "";
  const extension = findFileExtension(name);
  const stem = toFileStem(extension === null ? name : name.slice(0, -extension.length - 1));
  if (content.$case === "data") {
    const value = `${JSON.stringify(content.value ?? null, null, 2)}\n`;
    const format = "application/json";
    return { stem, extension: "json", format, content: { $case: "text", value } };
  }
  const [defaultType, defaultExtension] =
    content.$case === "text" ? ["text/markdown", "txt"] : ["application/octet-stream", "bin"];
  const type = parseMediaType(mediaType) ?? findMediaTypeOfExtension(extension) ?? defaultType;
  return {
    stem,
    extension: extension ?? findExtensionOfMediaType(type) ?? defaultExtension,
    format: addUtf8Charset(type),
    content,
  };
}

/** The file name in a URL's path; "" if there is none. */
function findNameInUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !url.protocol.startsWith("http")) return "";
  const last = url.pathname.split("/").at(-1) ?? "";
  return findFileExtension(last) === null ? "" : last;
}

/** Media types by file extension. The first extension listed for a type is used for new files. */
const EXTENSION_MEDIA_TYPES: readonly (readonly [extension: string, type: string])[] = [
  ["md", "text/markdown"],
  ["txt", "text/plain"],
  ["html", "text/html"],
  ["csv", "text/csv"],
  ["css", "text/css"],
  ["json", "application/json"],
  ["xml", "application/xml"],
  ["xml", "text/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["js", "text/javascript"],
  ["pdf", "application/pdf"],
  ["zip", "application/zip"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["svg", "image/svg+xml"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
];
/** RFC 6838 names, without parameters. */
const MEDIA_TYPE_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/;
const EXTENSION_PATTERN = /\.([a-z0-9]{1,8})$/i;

/** Parses a media type and removes its parameters. Null if the text is not a media type. */
function parseMediaType(text: string): string | null {
  const [type = ""] = text.toLowerCase().split(";", 1);
  return MEDIA_TYPE_PATTERN.test(type.trim()) ? type.trim() : null;
}

/** A file name's extension without the dot; null if there is none. */
function findFileExtension(name: string): string | null {
  return EXTENSION_PATTERN.exec(name)?.[1]?.toLowerCase() ?? null;
}

function findExtensionOfMediaType(mediaType: string): string | null {
  if (mediaType.endsWith("+json")) return "json";
  return EXTENSION_MEDIA_TYPES.find(([, type]) => type === mediaType)?.[0] ?? null;
}

function findMediaTypeOfExtension(extension: string | null): string | null {
  return EXTENSION_MEDIA_TYPES.find(([known]) => known === extension)?.[1] ?? null;
}
