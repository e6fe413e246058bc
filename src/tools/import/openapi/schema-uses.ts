import { isJsonObject, type Json } from "../../../domain/json.ts";
import { COMPONENT } from "./copy-schemas.ts";

/** The components that one schema refers to itself, each as often as it does, and its own size. */
export interface SchemaUses {
  readonly names: readonly string[];
  readonly characters: number;
}

/** Looks at each schema once, however often it is asked about. */
export function schemaUses(): (schema: Json) => SchemaUses {
  const known = new WeakMap<object, SchemaUses>();
  return (schema) => {
    if (!isJsonObject(schema)) return { names: [], characters: 5 };
    const before = known.get(schema);
    if (before !== undefined) return before;
    const names: string[] = [];
    collect(schema, names);
    const uses = { names, characters: JSON.stringify(schema).length };
    known.set(schema, uses);
    return uses;
  };
}

function collect(value: Json, names: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, names);
    return;
  }
  if (!isJsonObject(value)) return;
  const reference = value["$ref"];
  // A default or an enum can hold any text; only copied references begin like this.
  if (typeof reference === "string" && reference.startsWith(COMPONENT)) {
    names.push(reference.slice(COMPONENT.length));
  }
  for (const inside of Object.values(value)) collect(inside, names);
}
