import type { Artifact } from "@a2a-js/sdk";
import { A2A_FILE_BYTES_MAX, A2A_FILES_MAX, A2A_FILES_TIMEOUT_MS } from "../../../domain/limits.ts";
import type { Deliverable } from "../../../domain/task.ts";
import { counted, oneLine } from "../builtin/wording.ts";
import type { TurnHands } from "../contract.ts";
import type { Line } from "./line.ts";
import { piecesOf, pieceNames, type Piece } from "./pieces.ts";

const NOTES_MAX = 10;
const NAME_CHARACTERS_MAX = 200;
const MEBIBYTE = 1024 * 1024;

/** The files of an outcome, and sentences about what could not be made one. */
export interface Stored {
  readonly deliverables: readonly Deliverable[];
  readonly notes: readonly string[];
}

/** Stores what an agent hands over. `wanted` are the words of the deliverables that were asked for. */
export async function storeFiles(
  artifacts: Iterable<Artifact>,
  wanted: readonly string[],
  {
    line,
    hands,
    signal,
  }: {
    readonly line: Line;
    readonly hands: Pick<TurnHands, "save">;
    readonly signal: AbortSignal;
  },
): Promise<Stored> {
  const pieces = piecesOf(artifacts);
  const nameFor = pieceNames();
  const deliverables: Deliverable[] = [];
  const notes: string[] = [];
  const endsAt = Date.now() + A2A_FILES_TIMEOUT_MS;
  for (const piece of pieces.slice(0, A2A_FILES_MAX)) {
    const bytes = await bytesOf(piece, line, endsAt, signal);
    if (typeof bytes === "string") {
      notes.push(bytes);
      continue;
    }
    const name = nameFor(piece);
    const type = wordFor(piece, wanted);
    deliverables.push(await hands.save({ type, name, format: piece.format, bytes }));
  }
  const left = pieces.length - A2A_FILES_MAX;
  if (left > 0) notes.push(`Not stored: ${counted(left, "file")} beyond ${A2A_FILES_MAX}.`);
  const untold = notes.length - NOTES_MAX;
  if (untold > 0) notes.splice(NOTES_MAX, untold, `Not stored: ${untold} more.`);
  return { deliverables, notes };
}

/** A piece's bytes, or a sentence about why there are none. */
async function bytesOf(
  { stem, extension, content }: Piece,
  line: Line,
  endsAt: number,
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const name = `${stem}.${extension}`;
  if (content.kind === "text") return bounded(name, new TextEncoder().encode(content.text));
  const kept = line.kept.bytesAt(content.url);
  if (kept?.ok === true) return bounded(name, kept.value);
  if (kept?.ok === false) return `Not stored: ${name}, whose bytes ${kept.failure}.`;
  const timeoutMs = endsAt - Date.now();
  const bounds = { timeoutMs, bytesMax: A2A_FILE_BYTES_MAX };
  const file = timeoutMs > 0 ? await line.file(content.url, bounds, signal) : null;
  if (file !== null) return file.bytes;
  return `Not stored: ${name}, which lies at ${oneLine(content.url, NAME_CHARACTERS_MAX)}.`;
}

function bounded(name: string, bytes: Uint8Array): Uint8Array | string {
  if (bytes.byteLength <= A2A_FILE_BYTES_MAX) return bytes;
  return `Not stored: ${name}, which is larger than ${A2A_FILE_BYTES_MAX / MEBIBYTE} MiB.`;
}

/** The word that a file answers to: the one in its name, or the only one; else its own name. */
function wordFor({ stem }: Piece, wanted: readonly string[]): string {
  const named = wanted.find((word) => stem.includes(word.toLowerCase()));
  const [only] = wanted.length === 1 ? wanted : [];
  return named ?? only ?? stem;
}
