import type { JsonObject } from "../../../domain/json.ts";
import { validate } from "../../../http/validate.ts";
import type { NewFile } from "../contract.ts";
import { FILE_BYTES_MAX, FILES_MAX } from "./limits.ts";
import { bad, problemText, told, type Bench, type Made } from "./made.ts";
import { deliverShape } from "./own.ts";

/** `deliver_file`: saved at once; `names` are those of the files so far, and get this one's. */
export async function deliver(
  input: JsonObject,
  { hands, task }: Bench,
  names: Set<string>,
): Promise<Made> {
  const read = validate(deliverShape, input);
  if (!read.ok) return bad(problemText("deliver_file", read.failure));
  const { name, content, mediaType } = read.value;
  const type = wantedWord(read.value.type, task.deliverableTypes);
  if (!names.has(name) && names.size >= FILES_MAX) {
    return told(`Not saved: a task can have ${FILES_MAX} files. Replace one by its name.`);
  }
  const bytes = new TextEncoder().encode(content);
  if (bytes.byteLength > FILE_BYTES_MAX) {
    return told(
      `Not saved: a file can have ${FILE_BYTES_MAX} bytes, this has ${bytes.byteLength}.`,
    );
  }
  const file: NewFile = { type, name, format: formatOf(mediaType ?? "text/plain"), bytes };
  const saved = await hands.save(file);
  names.add(name);
  const result = `Saved ${name} (${bytes.byteLength} bytes) as a file of type ${type}.`;
  return { ...told(result), isOk: true, file: saved };
}

/** The word as the task asks for it, where only capitals differ. */
export function wantedWord(type: string, wanted: readonly string[]): string {
  const plain = type.trim().toLowerCase();
  return wanted.find((word) => word.trim().toLowerCase() === plain) ?? type;
}

/** Text is written in UTF-8, which readers do not all take for granted. */
function formatOf(mediaType: string): string {
  const isBare = /^text\//i.test(mediaType) && !mediaType.includes(";");
  return isBare ? `${mediaType}; charset=utf-8` : mediaType;
}
