type ObjectKv = DurableObjectStorage["kv"];

/** The maximum length of one stored part. A row is limited to 2 MB, and a UTF-16 code unit takes up to three bytes. */
const PART_CHARACTERS_MAX = 600_000;

/** Stores a long text in an object as parts under `name:0`, `name:1` and so on. Call it inside a transaction. */
export function writeText(kv: ObjectKv, name: string, text: string): void {
  for (let part = 0; part * PART_CHARACTERS_MAX < text.length; part += 1) {
    const from = part * PART_CHARACTERS_MAX;
    kv.put(partKey(name, part), text.slice(from, from + PART_CHARACTERS_MAX));
  }
}

/** The stored text; null if there is none. */
export function readText(kv: ObjectKv, name: string): string | null {
  let text: string | null = null;
  for (let part = 0; ; part += 1) {
    const next = kv.get<string>(partKey(name, part));
    if (next === undefined) return text;
    text = (text ?? "") + next;
  }
}

export function hasText(kv: ObjectKv, name: string): boolean {
  return kv.get(partKey(name, 0)) !== undefined;
}

export function deleteText(kv: ObjectKv, name: string): void {
  for (let part = 0; kv.delete(partKey(name, part)); part += 1);
}

function partKey(name: string, part: number): string {
  return `${name}:${part}`;
}
