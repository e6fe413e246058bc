import type { Answer } from "../support/client.ts";

/** Headers that can differ between otherwise identical responses. */
const OWN_HEADERS = new Set(["x-request-id", "date"]);
/** The key's rate limit window, which changes with every request. */
const KEY_WINDOW = /"key";r=\d+;t=\d+/;
const ID_CHARACTERS_SHOWN = 59;

/** The response as text, without its request id, its time and any repetition of the resource id. */
export function toComparable({ status, headers, text }: Answer, id: string): string {
  const ids = id === "" ? [] : [id, `${id.slice(0, ID_CHARACTERS_SHOWN)}…`];
  const plain = ids
    .reduce((so, one) => so.replaceAll(one, "ID"), text)
    .replaceAll(/"(requestId|timestamp)":"[^"]*"/g, '"$1":""');
  const kept = [...headers]
    .filter(([name]) => !OWN_HEADERS.has(name))
    .map(([name, value]) => [name, value.replace(KEY_WINDOW, '"key"')]);
  return JSON.stringify([status, kept, plain]);
}
