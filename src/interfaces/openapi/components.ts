import * as z from "zod";
import type { ZodOpenApiOverride } from "zod-openapi";
import { jsonObject } from "../../http/validation.ts";
import { contextObject } from "../../tasks/api/schemas.ts";
import { CREDENTIAL_BODIES, credentialBody } from "../../tools/credentials/schemas.ts";
import { connectorSchema } from "../../tools/connectors/schemas.ts";
import { registerToolBody } from "../../tools/schemas.ts";
import { capitalize } from "../../kernel/text.ts";
import { taskSnapshotSchema } from "../../tasks/api/event-schemas.ts";

/** The schema of the bodies that credentialBody accepts. */
const credentialInputSchema = z
  .discriminatedUnion("type", [
    nameComponent("ApiKeyCredentialInput", CREDENTIAL_BODIES["api-key"]),
    nameComponent("ClientCredentialsInput", CREDENTIAL_BODIES["oauth-client-credentials"]),
    nameComponent("RefreshTokenCredentialInput", CREDENTIAL_BODIES["oauth-refresh-token"]),
    nameComponent(
      "AuthorizationCodeCredentialInput",
      CREDENTIAL_BODIES["oauth-authorization-code"],
    ),
  ])
  .meta({ unusedIO: "input" });

/** Schemas that are always components, even if nothing refers to them. */
export const SHARED_COMPONENTS = {
  CredentialInput: credentialInputSchema,
  TaskSnapshot: taskSnapshotSchema,
};

// The JSON Schema of custom checks.
z.globalRegistry.add(jsonObject, { type: "object", additionalProperties: true });
z.globalRegistry.add(contextObject, {
  type: "object",
  properties: {
    requireReview: {
      anyOf: [{ type: "boolean" }, { type: "null" }],
      description: "Whether people approve the work before the task is completed.",
    },
    askFirst: {
      anyOf: [{ type: "string", pattern: "\\S" }, { type: "null" }],
      description: "A question that built-in agents and models ask before they begin.",
    },
  },
  additionalProperties: true,
});
z.globalRegistry.add(credentialBody, {
  // A function, because zod-openapi copies an object into the document.
  override: ({ jsonSchema }) => {
    jsonSchema.$ref = "#/components/schemas/CredentialInput";
  },
});

// Clients get a type for each component.
nameComponent("ConnectorInput", connectorSchema);
nameVariants("ConnectorInput", connectorSchema);
const capabilityInput = registerToolBody.shape.capabilities.element;
nameComponent("CapabilityInput", capabilityInput);
nameComponent("ParameterInput", capabilityInput.shape.parameters.unwrap().element);

function nameComponent<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { id });
  return schema;
}

/** Names the variants of a union by their types: HttpConnectorInput. */
function nameVariants(id: string, union: { readonly options: readonly z.ZodType[] }): void {
  for (const option of union.options) {
    const type = option instanceof z.ZodObject ? option.shape["type"] : null;
    if (!(type instanceof z.ZodLiteral)) continue;
    nameComponent(`${capitalize(String(type.value))}${id}`, option);
  }
}

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
