// Replaces "zod/v4": a bundler cannot tree-shake the `z` of the AI SDK, whose locales take a tenth of the Worker.
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
