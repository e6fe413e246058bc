import * as z from "zod";
import { capitalize } from "../kernel/text.ts";

/// <reference types="zod-openapi" />

export function text(description: string, example?: string) {
  return z
    .string()
    .meta({ description, ...(example === undefined ? {} : { examples: [example] }) });
}

export function matching(pattern: RegExp, description: string) {
  return z.string().regex(pattern).describe(description);
}

export function textList(description: string) {
  return z.array(z.string()).describe(description);
}

export function list<Item extends z.ZodType>(item: Item, description: string) {
  return z.array(item).describe(description);
}

export function integer(description: string) {
  return z.int().describe(description);
}

export function count(description: string) {
  return z.int().min(0).describe(description);
}

export function flag(description: string) {
  return z.boolean().describe(description);
}

/** A stream of Server-Sent Events. `components`: the names of the schemas of its messages' data. */
export function eventStreamOf(description: string, components: readonly string[]) {
  const anyOf = components.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  // JSON Schema's annotation for the content of a string: here, the data of the messages in order.
  return z.string().meta({
    description,
    override: {
      contentMediaType: "text/event-stream",
      contentSchema: { type: "array", items: { anyOf } },
    },
  });
}

/** A named component: an object that allows no unknown fields. */
export function component<Shape extends z.core.$ZodLooseShape>(
  id: string,
  description: string | null,
  shape: Shape,
) {
  return z.strictObject(shape).meta({ id, ...(description === null ? {} : { description }) });
}

/** Gives a schema the description of another schema. */
export function describeLike<Schema extends z.ZodType>(other: z.ZodType, schema: Schema): Schema {
  return schema.meta({ description: other.description });
}

/** A time in ISO 8601 format, in UTC and with milliseconds. */
export function instant(description: string) {
  return z.iso.datetime({ precision: 3 }).meta({
    description,
    examples: ["2026-11-21T05:15:24.295Z"],
  });
}

/** The id of the key that created or changed a resource. `did` completes the phrase "the key that". */
export function createdBy(did: string) {
  return optional.text(
    `Id of the key that ${did}, or \`root\` for the root key; absent for resources that predate this field or come with the service.`,
  );
}

/** Converts a name for use in a component name: `changes_requested` and `CHANGES_REQUESTED` become ChangesRequested. */
export function toPascalCase(name: string): string {
  return name.toLowerCase().split("_").map(capitalize).join("");
}

/** A JSON object with any keys. */
export function freeForm(description: string) {
  return z.record(z.string(), z.unknown()).meta({ description });
}

/** The same schemas, for optional fields. */
export const optional = {
  text: (...given: Parameters<typeof text>) => text(...given).optional(),
  textList: (description: string) => textList(description).optional(),
  integer: (description: string) => integer(description).optional(),
  flag: (description: string) => flag(description).optional(),
  literal: (value: boolean, description: string) =>
    z.literal(value).describe(description).optional(),
  instant: (description: string) => instant(description).optional(),
  freeForm: (description: string) => freeForm(description).optional(),
};

/** The read-only type of the data that a view returns for a response schema. */
export type ResponseOf<Schema extends z.ZodType> = Immutable<z.input<Schema>>;

type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Immutable<Value[Field]> }
    : Value;
