import type { Artifact } from "@a2a-js/sdk";
import { A2A_FILE_BYTES_MAX, A2A_FILES_MAX, A2A_FILES_TIMEOUT_MS } from "./limits.ts";
import type { Deliverable } from "../../tasks/model/task.ts";
import { formatCount, toSingleLine } from "../../kernel/text.ts";
import type { ExecutionContext } from "../contract.ts";
import type { A2aTransport } from "./transport.ts";
import { toArtifactFiles, createArtifactFileNamer, type ArtifactFile } from "./artifact-files.ts";

const NOTES_MAX = 10;
const NAME_CHARACTERS_MAX = 200;
const MEBIBYTE = 1024 * 1024;

/** The files of an outcome, and sentences about what could not be made one. */
export interface SavedArtifacts {
  readonly deliverables: readonly Deliverable[];
  readonly notes: readonly string[];
}

/** Stores what an agent hands over. `wanted` are the words of the deliverables that were asked for. */
export async function saveArtifacts(
  artifacts: Iterable<Artifact>,
  requestedTypes: readonly string[],
  {
    line: transport,
    hands: context,
    signal,
  }: {
    readonly line: A2aTransport;
    readonly hands: Pick<ExecutionContext, "saveFile">;
    readonly signal: AbortSignal;
  },
): Promise<SavedArtifacts> {
  const files = toArtifactFiles(artifacts);
  const nameFor = createArtifactFileNamer();
  const deliverables: Deliverable[] = [];
  const notes: string[] = [];
  const endsAt = Date.now() + A2A_FILES_TIMEOUT_MS;
  for (const piece of files.slice(0, A2A_FILES_MAX)) {
    const bytes = await loadFileBytes(piece, transport, endsAt, signal);
    if (typeof bytes === "string") {
      notes.push(bytes);
      continue;
    }
    const name = nameFor(piece);
    const type = selectDeliverableType(piece, requestedTypes);
    deliverables.push(await context.saveFile({ type, name, format: piece.format, bytes }));
  }
  const excess = files.length - A2A_FILES_MAX;
  if (excess > 0) notes.push(`Not stored: ${formatCount(excess, "file")} beyond ${A2A_FILES_MAX}.`);
  const omitted = notes.length - NOTES_MAX;
  if (omitted > 0) notes.splice(NOTES_MAX, omitted, `Not stored: ${omitted} more.`);
  return { deliverables, notes };
}

/** A piece's bytes, or a sentence about why there are none. */
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

/** The word that a file answers to: the one in its name, or the only one; else its own name. */
function selectDeliverableType({ stem }: ArtifactFile, requestedTypes: readonly string[]): string {
  const named = requestedTypes.find((word) => stem.includes(word.toLowerCase()));
  const [only] = requestedTypes.length === 1 ? requestedTypes : [];
  return named ?? only ?? stem;
}
