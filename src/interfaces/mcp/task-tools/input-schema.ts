import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import {
  asJson,
  isJsonObject,
  type Json,
  type JsonObject,
  toJsonObject,
} from "../../../kernel/json.ts";
import { toPortableSchema } from "../../../tools/schema/function-schema.ts";
import type { TaskTool } from "./task-tool.ts";

const DATE_FORMATS: ReadonlySet<Json | undefined> = new Set(["date", "date-time"]);

/** The JSON Schema of a task tool, generated from its Zod schema. */
export function toInputSchema({ input, fields }: TaskTool): Tool["inputSchema"] {
  const { $schema: _, ...whole } = toJsonObject(
    // Zod generates JSON without undefined.
    asJson(
      z.toJSONSchema(input, {
        io: "input",
        unrepresentable: "any",
        override({ zodSchema, jsonSchema }) {
          // Free-form objects allow additional properties.
          if (zodSchema._zod.def.type === "custom") jsonSchema.type ??= "object";
          // The pattern of a date is long, and `format` states the same.
          if (DATE_FORMATS.has(jsonSchema.format)) delete jsonSchema.pattern;
          if (jsonSchema.type === "integer") delete jsonSchema.pattern;
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        },
      }),
    ),
  );
  return { ...toPortableSchema(addDescriptions(mergeAlternatives(whole), fields)), type: "object" };
}

/** Merges alternatives into one object, because model providers reject a choice at the root. */
function mergeAlternatives({ oneOf, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(oneOf)) return schema;
  const choices = oneOf.filter(isJsonObject);
  const properties = new Map<string, Json>();
  for (const choice of choices) {
    for (const [name, one] of Object.entries(toJsonObject(choice["properties"]))) {
      properties.set(name, mergeProperty(properties.get(name), one));
    }
  }
  const required = [...properties.keys()].filter((name) =>
    choices.every(
      (choice) => Array.isArray(choice["required"]) && choice["required"].includes(name),
    ),
  );
  return { properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** Merges the same property of two alternatives. */
function mergeProperty(before: Json | undefined, one: Json): Json {
  const word = isJsonObject(one) ? one["const"] : undefined;
  if (word === undefined) return one;
  const words = isJsonObject(before) && Array.isArray(before["enum"]) ? before["enum"] : [];
  return { type: "string", enum: [...words, word] };
}

function addDescriptions(schema: JsonObject, fields: TaskTool["fields"], above = ""): JsonObject {
  const properties = Object.entries(toJsonObject(schema["properties"])).map(
    ([name, one]): [string, Json] => {
      if (!isJsonObject(one)) return [name, one];
      const path = `${above}${name}`;
      const text = fields[path];
      const within = "properties" in one ? addDescriptions(one, fields, `${path}.`) : one;
      return [name, text === undefined ? within : { ...within, description: text }];
    },
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}
