// The functions of `z` that the AI SDK uses.
export {
  any,
  array,
  boolean,
  discriminatedUnion,
  enum,
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
