// What the AI SDK imports as `z` is all of zod in one object, which no bundler can shake: its forty
// languages alone take a tenth of the Worker. wrangler.toml puts this in the place of "zod/v4".
import {
  any,
  array,
  boolean,
  enum as oneOf,
  literal,
  looseObject,
  number,
  object,
  record,
  string,
  union,
} from "zod";

export * from "zod";
export const z = {
  any,
  array,
  boolean,
  enum: oneOf,
  literal,
  looseObject,
  number,
  object,
  record,
  string,
  union,
};
