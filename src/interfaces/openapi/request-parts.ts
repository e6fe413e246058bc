import type { ZodOpenApiOperationObject, ZodOpenApiParameters } from "zod-openapi";
import * as z from "zod";
import { ID_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../../http/limits.ts";
import type { Operation } from "../../http/operation.ts";
import {
  acceptsIdempotencyKey,
  acceptsIfMatch,
  type ApiRoute,
  listPathParameters,
} from "./api-route.ts";
import { capitalize } from "../../kernel/text.ts";

/** What a parameter means, with an example. */
interface ParameterDescription {
  readonly description: string;
  readonly example?: unknown;
}

const SIGNED_LINK_QUERY = {
  expires: {
    description: "Until when a signed link works, in seconds since 1970; a part of the link.",
    schema: z.string().min(1).optional(),
  },
  signature: {
    description: "The signature of a link, which replaces a key; a part of the link.",
    schema: z.string().min(1).optional(),
  },
};

const idempotencyKeySchema = z
  .string()
  .min(1)
  .max(IDEMPOTENCY_KEY_CHARACTERS_MAX)
  .regex(/^[\x21-\x7e]+$/)
  .optional();

/** Parameters of path, query and header, by the routes' own schemas. */
export function buildRequestParameters(route: ApiRoute): ZodOpenApiParameters {
  const { operation, example } = route;
  const describe = (name: string, schema: z.ZodType, usual = "") => {
    const description = operation.parameters?.[name] ?? usual;
    return [name, describeParameter(schema, { description, example: example.parameters?.[name] })];
  };
  const named = listPathParameters(route).map(({ name, description }) =>
    describe(name, z.string().min(1).max(ID_CHARACTERS_MAX), description),
  );
  const { query: own, handlerQuery } = operation;
  const query = Object.entries({ ...own?.shape, ...handlerQuery?.shape }).map(([name, schema]) =>
    describe(name, schema, z.globalRegistry.get(schema)?.description),
  );
  const link =
    operation.access === "link"
      ? Object.entries(SIGNED_LINK_QUERY).map(([name, { schema, ...meaning }]) => [
          name,
          describeParameter(schema, meaning),
        ])
      : [];
  const headers = Object.entries(buildHeaderParameters(route));
  return {
    ...(named.length === 0 ? {} : { path: z.object(Object.fromEntries(named)) }),
    ...(query.length + link.length === 0
      ? {}
      : { query: z.object(Object.fromEntries([...query, ...link])) }),
    ...(headers.length === 0 ? {} : { header: z.object(Object.fromEntries(headers)) }),
  };
}

function buildHeaderParameters(route: ApiRoute): Record<string, z.ZodType> {
  const { operation } = route;
  const own = Object.entries(operation.headers ?? {}).map(
    ([name, { required = false, ...meaning }]) => [
      name,
      describeParameter(required ? z.string() : z.string().optional(), meaning),
    ],
  );
  return {
    ...(acceptsIdempotencyKey(route)
      ? {
          "Idempotency-Key": describeParameter(idempotencyKeySchema, {
            description:
              "Makes the request safe to send again: within 24 hours a repeat with the same key and body gets the first response, or a 409 if it was lost, and has no effect.",
            example: "0b6c1f5e-3f0a-4b7e-9d0e-2a8f6b1c7d55",
          }),
        }
      : {}),
    ...(acceptsIfMatch(route)
      ? {
          "If-Match": describeParameter(z.string().optional(), {
            description:
              "The ETag of the version that you have read: the change applies only if the resource has not changed since.",
            example: '"12"',
          }),
        }
      : {}),
    ...Object.fromEntries(own),
  };
}

/** The body of a request; `id` names its component. */
export function buildRequestBody({
  operation,
  example: { body: example },
}: ApiRoute): Pick<ZodOpenApiOperationObject, "requestBody"> {
  const { rawBody, body, bodyIsOptional = false } = operation;
  if (rawBody !== undefined) {
    const content = { "*/*": { schema: { type: "string", format: "binary" } as const } };
    return { requestBody: { description: rawBody, required: true, content } };
  }
  if (body === undefined) return {};
  const schema = body.meta({ id: bodyComponentNameOf(operation) });
  const content = { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
  return { requestBody: { required: !bodyIsOptional, content } };
}

/** The component of an operation's body: CreateTaskBody. */
export function bodyComponentNameOf({ operationId }: Operation): string {
  return `${capitalize(operationId)}Body`;
}

/**
 * Moves the description of a schema to its parameter. The example of an optional parameter belongs to its schema,
 * because API pages fill in the example of the parameter itself.
 */
function describeParameter(
  schema: z.ZodType,
  { description, example }: ParameterDescription,
): z.ZodType {
  const meta = { description: undefined, param: { description } };
  if (example === undefined) return schema.meta(meta);
  return schema.safeParse(undefined).success
    ? schema.meta({ ...meta, override: { examples: [example] } })
    : schema.meta({ ...meta, param: { description, example } });
}
