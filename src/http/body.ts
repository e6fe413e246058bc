import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { NAME_CHARACTERS_MAX } from "../domain/limits.ts";

/** A free-form JSON object. The body's walk has checked its depth, numbers and text already. */
export const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value as Json | undefined), {
  error: "must be an object",
});

/** A name for people. Its length is that of what was sent, as the document says; spaces around it are dropped then. */
export const displayName = z
  .string()
  .max(NAME_CHARACTERS_MAX)
  .trim()
  .min(1)
  .meta({ pattern: "\\S" });
