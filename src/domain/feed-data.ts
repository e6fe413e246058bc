import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import {
  FEED_DATA_BYTES_MAX,
  FEED_LIST_BYTES_MAX,
  FEED_TEXT_CHARACTERS_MAX,
  FEED_VALUE_BYTES_MAX,
} from "./limits.ts";
import { jsonBytes } from "./size.ts";
import { cut } from "./text.ts";

/** The data of an event in the feed; `dataBytes` is its size before it was shortened. */
export interface FeedData {
  readonly data: JsonObject;
  readonly dataBytes?: number;
}

/** Free-form objects: clients determine their keys. */
const FREE_FORM = new Set(["budget", "details"]);

/**
 * The data of an event for the feed, whose storage is bounded. Sizes replace the context and a large `work` or
 * `response`; if the data is still large, its texts and lists are shortened.
 */
export function feedData(event: JsonObject): FeedData {
  const entries = Object.entries(event).flatMap(([name, value]) => withSize(name, value));
  const data = Object.fromEntries(entries);
  const dataBytes = jsonBytes(data);
  return dataBytes <= FEED_DATA_BYTES_MAX ? { data } : { data: shortened(data), dataBytes };
}

/** A field or its size. The null context of a retry without a context is omitted. */
function withSize(name: string, value: Json): [string, Json][] {
  switch (name) {
    case "context":
      return value === null ? [] : [[`${name}Bytes`, jsonBytes(value)]];
    case "work":
    case "response": {
      const bytes = jsonBytes(value);
      return [bytes <= FEED_VALUE_BYTES_MAX ? [name, value] : [`${name}Bytes`, bytes]];
    }
    default:
      return [[name, value]];
  }
}

function shortened(object: JsonObject): JsonObject {
  const entries = Object.entries(object);
  return Object.fromEntries(entries.map(([name, value]) => [name, shortenedValue(name, value)]));
}

function shortenedValue(name: string, value: Json): Json {
  if (typeof value === "string" && value.length > FEED_TEXT_CHARACTERS_MAX) {
    return cut(value, FEED_TEXT_CHARACTERS_MAX);
  }
  if (Array.isArray(value)) return fitting(value.map((item) => shortenedValue("", item)));
  if (!isJsonObject(value)) return value;
  return FREE_FORM.has(name)
    ? Object.fromEntries(fitting(Object.entries(value)))
    : shortened(value);
}

/** The first items that fit into a shortened list. */
function fitting<Item extends Json>(items: readonly Item[]): Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item);
    return bytes > FEED_LIST_BYTES_MAX;
  });
  return items.slice(0, end === -1 ? items.length : end);
}
