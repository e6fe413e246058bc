import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";

/** A free-form JSON object. The body's walk has checked its depth, numbers and text already. */
export const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value as Json | undefined), {
  error: "must be an object",
});
