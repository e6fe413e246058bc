// What the AI SDK imports as `z` is all of zod in one object, which no bundler can shake: its forty
// languages alone take a tenth of the Worker. wrangler.toml puts this in the place of "zod/v4".
import {
  any,
  array,
  boolean,
  discriminatedUnion,
  enum as oneOf,
  json,
  literal,
  looseObject,
  number,
  object,
  partialRecord,
  record,
  string,
  tuple,
  union,
  unknown,
} from "zod";

export * from "zod";
export const z = {
  any,
  array,
  boolean,
  discriminatedUnion,
  enum: oneOf,
  json,
  literal,
  looseObject,
  number,
  object,
  partialRecord,
  record,
  string,
  tuple,
  union,
  unknown,
};
