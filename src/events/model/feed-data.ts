import { isJsonObject, type Json, type JsonObject, jsonSizeOf } from "../../kernel/json.ts";
import {
  FEED_DATA_BYTES_MAX,
  FEED_LIST_BYTES_MAX,
  FEED_TEXT_CHARACTERS_MAX,
  FEED_VALUE_BYTES_MAX,
} from "../limits.ts";
import { sanitizeText } from "../../kernel/text.ts";

/** An event's data in the feed. `dataBytes` is its size before it was shortened. */
export interface FeedData {
  readonly data: JsonObject;
  readonly dataBytes?: number;
}

/** Free-form objects, whose keys clients choose. */
const FREE_FORM_FIELDS = new Set(["budget", "details", "labels"]);

/**
 * Reduces an event's data for the feed, whose storage is limited. The context and a large `work` or `response` are
 * replaced by their sizes. If the data is still large, its strings and lists are shortened.
 */
export function toFeedData(event: JsonObject): FeedData {
  const entries = Object.entries(event).flatMap(([name, value]) => replaceLargeValue(name, value));
  const data = Object.fromEntries(entries);
  const dataBytes = jsonSizeOf(data);
  return dataBytes <= FEED_DATA_BYTES_MAX ? { data } : { data: shortenObject(data), dataBytes };
}

/** Returns a field or its size. If a retry has no context, its null context is omitted. */
function replaceLargeValue(name: string, value: Json): [string, Json][] {
  switch (name) {
    case "context":
      return value === null ? [] : [[`${name}Bytes`, jsonSizeOf(value)]];
    case "result":
      // The result of an approved call. The result of a task is an object.
      return typeof value === "string" ? [[`${name}Bytes`, jsonSizeOf(value)]] : [[name, value]];
    case "work":
    case "response": {
      const bytes = jsonSizeOf(value);
      return [bytes <= FEED_VALUE_BYTES_MAX ? [name, value] : [`${name}Bytes`, bytes]];
    }
    default:
      return [[name, value]];
  }
}

function shortenObject(object: JsonObject): JsonObject {
  const entries = Object.entries(object);
  return Object.fromEntries(entries.map(([name, value]) => [name, shortenValue(name, value)]));
}

function shortenValue(name: string, value: Json): Json {
  if (typeof value === "string" && value.length > FEED_TEXT_CHARACTERS_MAX) {
    return sanitizeText(value, FEED_TEXT_CHARACTERS_MAX);
  }
  if (Array.isArray(value)) return takeFitting(value.map((item) => shortenValue("", item)));
  if (!isJsonObject(value)) return value;
  return FREE_FORM_FIELDS.has(name)
    ? Object.fromEntries(takeFitting(Object.entries(value)))
    : shortenObject(value);
}

/** The first items that fit into a shortened list. */
function takeFitting<Item extends Json>(items: readonly Item[]): Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonSizeOf(item);
    return bytes > FEED_LIST_BYTES_MAX;
  });
  return items.slice(0, end === -1 ? items.length : end);
}
