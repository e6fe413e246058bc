import * as z from "zod";
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";
import { isConditional, isRepeatable } from "./codes.ts";
import { FAILED, success } from "./envelope.ts";
import { HEADERS, headerNamed, ON_EVERY_ANSWER, REPLAYED } from "./headers.ts";
import type { Answer, Operation } from "./operation.ts";
import type { Route } from "./route.ts";

const METADATA = {
  requestId: "b7f1c9d0-6a43-4f7e-9a51-0d2c8e5f4a13",
  timestamp: "2030-01-31T12:00:00.000Z",
};

/** What tells of the moment of an answer, and is left out when the answer is given again. */
const MOMENTARY = new Set(["RateLimit", "RateLimit-Policy"]);

/** The good answers of an operation, by status. */
export function goodResponses(route: Route, operation: Operation): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    operation.answers.map((answer) => [String(answer.status), response(route, answer)]),
  );
}

function response(route: Route, answer: Answer): ZodOpenApiResponseObject {
  const { description, data, example, content = {}, headers = {} } = answer;
  const own = Object.entries(headers).map(([name, text]) => {
    const required = !(isRepeatable(route) && MOMENTARY.has(name));
    return [name, { ...headerNamed(name), description: text, required }];
  });
  const enveloped =
    data === undefined
      ? {}
      : {
          "application/json": {
            schema: success(data),
            ...(example === undefined
              ? {}
              : { example: { success: true, data: example, metadata: METADATA } }),
          },
        };
  const whole = { ...enveloped, ...content };
  return {
    description,
    headers: {
      ...ON_EVERY_ANSWER,
      ...(isRepeatable(route) ? REPLAYED : {}),
      ...(isConditional(route) ? { ETag: { ...HEADERS.ETag, required: true } } : {}),
      ...Object.fromEntries(own),
    },
    ...(Object.keys(whole).length === 0 ? {} : { content: whole }),
  };
}

/** The refusals of an operation in another protocol's form. */
export function foreignResponses({ refusals }: Operation): ZodOpenApiResponsesObject {
  if (refusals === undefined) return {};
  const { description, schema } = refusals;
  const refusal = {
    description,
    headers: { ...ON_EVERY_ANSWER },
    content: { "application/json": { schema } },
  };
  // Host and Origin are checked before the protocol, so their error has the same form on all routes.
  const forbidden = {
    ...refusal,
    description: `${description} \`HOST_NOT_ALLOWED\` has the form of the other routes.`,
    content: { "application/json": { schema: z.union([schema, FAILED]) } },
  };
  return { "403": forbidden, "4XX": refusal, "5XX": refusal };
}
