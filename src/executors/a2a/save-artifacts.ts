import type { Artifact } from "@a2a-js/sdk";
import { A2A_FILE_BYTES_MAX, A2A_FILES_MAX, A2A_FILES_TIMEOUT_MS } from "./limits.ts";
import type { Deliverable } from "../../tasks/model/task.ts";
import { formatCount, toSingleLine } from "../../kernel/text.ts";
import { createFileNamer } from "../../tasks/model/files.ts";
import type { ExecutionContext } from "../contract.ts";
import type { A2aTransport } from "./transport.ts";
import { toArtifactFiles, type ArtifactFile } from "./artifact-files.ts";

const NOTES_MAX = 10;
const NAME_CHARACTERS_MAX = 200;
const MEBIBYTE = 1024 * 1024;

/** The stored files of an outcome, and a sentence about each that could not be stored. */
export interface SavedArtifacts {
  readonly deliverables: readonly Deliverable[];
  readonly notes: readonly string[];
}

/** Stores the agent's artifacts as files. `requestedTypes`: the deliverable types that the task asks for. */
export async function saveArtifacts(
  artifacts: Iterable<Artifact>,
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
  if (excess > 0) notes.push(`Not stored: ${formatCount(excess, "file")} beyond ${A2A_FILES_MAX}.`);
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
  if (content.kind === "text") return checkFileSize(name, new TextEncoder().encode(content.text));
  const inline = transport.inlineBytes.find(content.url);
  if (inline?.ok === true) return checkFileSize(name, inline.value);
  if (inline?.ok === false) return `Not stored: ${name}, whose bytes ${inline.failure}.`;
  const timeoutMs = endsAt - Date.now();
  const bounds = { timeoutMs, bytesMax: A2A_FILE_BYTES_MAX };
  const file = timeoutMs > 0 ? await transport.fetchFile(content.url, bounds, signal) : null;
  if (file !== null) return file.bytes;
  return `Not stored: ${name}, which lies at ${toSingleLine(content.url, NAME_CHARACTERS_MAX)}.`;
}

function checkFileSize(name: string, bytes: Uint8Array): Uint8Array | string {
  if (bytes.byteLength <= A2A_FILE_BYTES_MAX) return bytes;
  return `Not stored: ${name}, which is larger than ${A2A_FILE_BYTES_MAX / MEBIBYTE} MiB.`;
}

/** The requested type in the file's name, or the only requested type; else the file's own name. */
function selectDeliverableType({ stem }: ArtifactFile, requestedTypes: readonly string[]): string {
  const named = requestedTypes.find((type) => stem.includes(type.toLowerCase()));
  const [only] = requestedTypes.length === 1 ? requestedTypes : [];
  return named ?? only ?? stem;
}
