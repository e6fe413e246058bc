import type { ZodOpenApiOperationObject, ZodOpenApiParameters } from "zod-openapi";
import * as z from "zod";
import { idText } from "../../http/validation.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../../http/limits.ts";
import type { Operation } from "../../http/operation.ts";
import {
  acceptsIdempotencyKey,
  acceptsIfMatch,
  type ApiRoute,
  listPathParameters,
} from "./api-route.ts";
import { capitalize } from "../../kernel/text.ts";

const SIGNED_LINK_QUERY = {
  expires: describeParameter(
    z.string().min(1).optional(),
    "When the signed link expires, in Unix seconds. Part of the link.",
  ),
  signature: describeParameter(
    z.string().min(1).optional(),
    "The signature of the signed link, sent instead of a key. Part of the link.",
  ),
};

const IDEMPOTENCY_KEY = describeParameter(
  z
    .string()
    .min(1)
    .max(IDEMPOTENCY_KEY_CHARACTERS_MAX)
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
  "Makes the request safe to retry: within 24 hours, a repeated request with the same key and body has no effect and returns the first response, or 409 if that response was lost.",
  "0b6c1f5e-3f0a-4b7e-9d0e-2a8f6b1c7d55",
);

const IF_MATCH = describeParameter(
  z.string().optional(),
  "The ETag of the version that you read. The change is applied only if the resource has not changed since.",
  '"12"',
);

export function buildRequestParameters(route: ApiRoute): ZodOpenApiParameters {
  const { query, handlerQuery, repeatedQuery, parameters, access, headers = {} } = route.operation;
  const define = (name: string, schema: z.ZodType, usual = ""): [string, z.ZodType] => {
    const recorded = route.example.parameters?.[name];
    const example = repeatedQuery?.includes(name) ? toArray(recorded) : recorded;
    return [name, describeParameter(schema, parameters?.[name] ?? usual, example)];
  };
  const named = listPathParameters(route).map(({ name, description }) =>
    define(name, idText, description),
  );
  const asked = Object.entries({ ...query?.shape, ...handlerQuery?.shape }).map(([name, schema]) =>
    define(name, schema, z.globalRegistry.get(schema)?.description),
  );
  const own = Object.entries(headers).map(([name, { required = false, description, example }]) => [
    name,
    describeParameter(required ? z.string() : z.string().optional(), description, example),
  ]);
  const shapes = {
    path: Object.fromEntries(named),
    query: { ...Object.fromEntries(asked), ...(access === "link" ? SIGNED_LINK_QUERY : {}) },
    header: {
      ...(acceptsIdempotencyKey(route) ? { "Idempotency-Key": IDEMPOTENCY_KEY } : {}),
      ...(acceptsIfMatch(route) ? { "If-Match": IF_MATCH } : {}),
      ...Object.fromEntries(own),
    },
  };
  return Object.fromEntries(
    Object.entries(shapes)
      .filter(([, shape]) => Object.keys(shape).length > 0)
      .map(([place, shape]) => [place, z.object(shape)]),
  );
}

/** The example of a parameter that can be repeated. */
function toArray(recorded: unknown): unknown {
  return recorded === undefined ? undefined : [recorded];
}

/** The body of a request. Its schema becomes a named component. */
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

/** The name of the component for an operation's body, such as CreateTaskBody. */
export function bodyComponentNameOf({ operationId }: Operation): string {
  return `${capitalize(operationId)}Body`;
}

/**
 * Moves a schema's description to its parameter. An optional parameter keeps its example in the schema, because API
 * pages prefill a parameter with the example on the parameter itself.
 */
function describeParameter(schema: z.ZodType, description: string, example?: unknown): z.ZodType {
  const meta = { description: undefined, param: { description } };
  if (example === undefined) return schema.meta(meta);
  return schema.safeParse(undefined).success
    ? schema.meta({ ...meta, override: { examples: [example] } })
    : schema.meta({ ...meta, param: { description, example } });
}
