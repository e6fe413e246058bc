import * as z from "zod";
import type { ZodOpenApiOverride } from "zod-openapi";
import { executorBody } from "../../agents/schemas.ts";
import { jsonObject } from "../../http/schemas.ts";
import { contextObject } from "../../tasks/api/schemas.ts";
import { reportBody } from "../../tasks/workers/schemas.ts";
import { CREDENTIAL_BODIES, credentialBody } from "../../tools/credentials/schemas.ts";
import { connectorSchema } from "../../tools/connectors/schemas.ts";
import { registerToolBody } from "../../tools/schemas.ts";
import { taskSnapshotSchema } from "./schemas/event.ts";

/** What credentialBody checks by hand, as a schema. */
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

/** Schemas that are components whether anything refers to them or not. */
export const SHARED_COMPONENTS = {
  CredentialInput: credentialInputSchema,
  TaskSnapshot: taskSnapshotSchema,
};

// What checks by hand mean, for those who read them as JSON Schema.
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
  // A function, as what is none would be written into the document as it stands here.
  override: ({ jsonSchema }) => {
    jsonSchema.$ref = "#/components/schemas/CredentialInput";
  },
});

// What clients would want a type for.
nameComponent("ExecutorInput", executorBody);
nameVariants("ExecutorInput", executorBody);
nameComponent("ConnectorInput", connectorSchema);
nameVariants("ConnectorInput", connectorSchema);
nameVariants("Report", reportBody);
const capabilityInput = registerToolBody.shape.capabilities.element;
nameComponent("CapabilityInput", capabilityInput);
nameComponent("ParameterInput", capabilityInput.shape.parameters.unwrap().element);

/** Makes a schema the component of that name, wherever it is used. */
function nameComponent<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, { id });
  return schema;
}

/** Names the variants of a union by their types: HttpConnectorInput. */
function nameVariants(id: string, union: { readonly options: readonly z.ZodType[] }): void {
  for (const option of union.options) {
    const type = option instanceof z.ZodObject ? option.shape["type"] : null;
    if (!(type instanceof z.ZodLiteral)) continue;
    const word = String(type.value);
    nameComponent(`${word.slice(0, 1).toUpperCase()}${word.slice(1)}${id}`, option);
  }
}

/** What Zod says in JSON Schema, said shorter. */
export const overrideJsonSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  const { def } = zodSchema._zod;
  // A parameter is an integer or a boolean by what it means, although Zod checks its text.
  if (jsonSchema.type === "integer" || jsonSchema.type === "boolean") {
    delete jsonSchema.pattern;
    delete jsonSchema.enum;
    // Left out by Zod, for which a default is of what the text becomes: the same, as it is written.
    if (def.type === "default") jsonSchema.default ??= defaultOf(def);
  }
  // The format says all that the long pattern does.
  if (jsonSchema.format === "date-time" || jsonSchema.format === "date") delete jsonSchema.pattern;
};

/** The definition of every ZodDefault has it. */
function defaultOf(def: object): z.core.util.JSONType {
  return (def as { readonly defaultValue: z.core.util.JSONType }).defaultValue;
}
