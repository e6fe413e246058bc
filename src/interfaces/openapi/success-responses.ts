import * as z from "zod";
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { ApiResponse } from "../../http/operation.ts";
import {
  acceptsIdempotencyKey,
  acceptsIfMatch,
  type ApiOperation,
  type ApiRoute,
} from "./api-route.ts";
import { errorEnvelopeSchema, buildSuccessEnvelope, EXAMPLE_METADATA } from "./envelope-schemas.ts";
import {
  RESPONSE_HEADERS,
  findResponseHeader,
  COMMON_HEADERS,
  REPLAY_HEADERS,
} from "./response-headers.ts";

/** Headers that a replayed response does not have. */
const TRANSIENT_HEADERS = new Set(["RateLimit", "RateLimit-Policy"]);

/** The successful responses of an operation, by status. */
export function buildSuccessResponses(route: ApiRoute): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    route.operation.responses.map((answer) => [
      String(answer.status),
      buildSuccessResponse(route, answer),
    ]),
  );
}

function buildSuccessResponse(route: ApiRoute, answer: ApiResponse): ZodOpenApiResponseObject {
  const { status, description, data, content = {}, headers = {} } = answer;
  const { responses = {}, stream } = route.example;
  const example = responses[status];
  const own = Object.entries(headers).map(([name, text]) => {
    const required = !(acceptsIdempotencyKey(route) && TRANSIENT_HEADERS.has(name));
    return [name, { ...findResponseHeader(name), description: text, required }];
  });
  const enveloped =
    data === undefined
      ? {}
      : {
          "application/json": {
            schema: buildSuccessEnvelope(data),
            ...(example === undefined
              ? {}
              : { example: { success: true, data: example, metadata: EXAMPLE_METADATA } }),
          },
        };
  const events = content["text/event-stream"];
  const streamed =
    events === undefined || stream === undefined
      ? {}
      : { "text/event-stream": { ...events, example: stream.join("\n") } };
  const whole = { ...enveloped, ...content, ...streamed };
  return {
    description,
    headers: {
      ...COMMON_HEADERS,
      ...(acceptsIdempotencyKey(route) ? REPLAY_HEADERS : {}),
      ...(acceptsIfMatch(route) ? { ETag: { ...RESPONSE_HEADERS.ETag, required: true } } : {}),
      ...Object.fromEntries(own),
    },
    ...(Object.keys(whole).length === 0 ? {} : { content: whole }),
  };
}

/** The errors of an operation in the form of another protocol. */
export function buildProtocolErrorResponses({
  protocolErrors,
}: ApiOperation): ZodOpenApiResponsesObject {
  if (protocolErrors === undefined) return {};
  const { description, schema, statuses } = protocolErrors;
  const rejected = {
    description,
    headers: { ...COMMON_HEADERS },
    content: { "application/json": { schema } },
  };
  // Host and Origin are checked before the protocol, so their error has the same form on all routes.
  const forbidden = {
    ...rejected,
    description: `${description} \`HOST_NOT_ALLOWED\` has the form of the other routes.`,
    content: { "application/json": { schema: z.union([schema, errorEnvelopeSchema]) } },
  };
  return Object.fromEntries([
    ["403", forbidden],
    ...statuses.map((status) => [String(status), rejected] as const),
  ]);
}
