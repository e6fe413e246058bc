import type * as z from "zod";
import type { ZodOpenApiOverride } from "zod-openapi";
import { taskSnapshotSchema } from "../../tasks/api/event-schemas.ts";
import { credentialInputSchema } from "../../tools/credentials/schemas.ts";

/** Schemas that are always components, even if nothing refers to them. */
export const SHARED_COMPONENTS = {
  CredentialInput: credentialInputSchema,
  TaskSnapshot: taskSnapshotSchema,
};

/** Shortens the JSON Schema that Zod writes. */
export const overrideJsonSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  const { def } = zodSchema._zod;
  // Zod checks the text of a parameter; the document shows the type of its value.
  if (jsonSchema.type === "integer" || jsonSchema.type === "boolean") {
    delete jsonSchema.pattern;
    delete jsonSchema.enum;
    // Zod omits the default of a transformed value.
    if (def.type === "default") jsonSchema.default ??= defaultOf(def);
  }
  // Generators for OpenAPI 3.0 know no `const`.
  if (typeof jsonSchema.const === "string") {
    jsonSchema.enum = [jsonSchema.const];
    delete jsonSchema.const;
  }
  // `format` replaces the long pattern.
  if (jsonSchema.format === "date-time" || jsonSchema.format === "date") delete jsonSchema.pattern;
};

/** The definition of every ZodDefault has it. */
function defaultOf(def: object): z.core.util.JSONType {
  return (def as { readonly defaultValue: z.core.util.JSONType }).defaultValue;
}
