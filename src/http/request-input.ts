import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import type { Failure } from "../kernel/failure.ts";
import { ID_CHARACTERS_MAX } from "../kernel/limits.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { type AppContext, type AppEnv, sendFailure } from "./envelope.ts";
import { SIGNED_LINK_PARAMETERS } from "./downloads.ts";
import { type StrictBody, readJsonBody } from "./json-body.ts";
import { NO_QUERY, type Operation } from "./operation.ts";
import { customIssue, readQuery, validateSchema } from "./validation.ts";

/** The body of an operation without a body schema. */
const NO_BODY: StrictBody = { value: undefined, problems: [] };

const pathParameter = z.string().check(({ value, issues }) => {
  if (value.length <= ID_CHARACTERS_MAX) return;
  const rule = `must be at most ${ID_CHARACTERS_MAX} characters long, got ${value.length}`;
  issues.push(customIssue(rule, value));
});
const PATH_PARAMETERS = z.record(z.string(), pathParameter);

/**
 * Middleware that checks an operation's input: first the raw body and query, then the path, query and body against
 * their schemas. As soon as one check fails, it responds with the problems that all of the checks find.
 */
export function validateInput(operation: Operation): MiddlewareHandler<AppEnv>[] {
  const { query, body } = operation;
  return [
    readStrictly(operation),
    validateTarget(operation, "param", PATH_PARAMETERS),
    ...(query === undefined ? [] : [validateTarget(operation, "query", query)]),
    ...(body === undefined ? [] : [validateTarget(operation, "json", body)]),
  ];
}

function validateTarget(
  operation: Operation,
  target: "param" | "query" | "json",
  schema: z.ZodType,
): MiddlewareHandler<AppEnv> {
  return zValidator(
    target,
    schema,
    ({ success }, c: AppContext) => (success ? undefined : sendProblems(c, operation)),
    // The validator's default, safeParseAsync, is slower, and no schema is asynchronous.
    { validationFunction: (checked, value) => checked.safeParse(value) },
  );
}

/** Rejects input that schemas cannot check: invalid JSON, unsafe numbers, and unknown or repeated query parameters. */
function readStrictly(operation: Operation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const body = await readBody(c, operation);
    if (!body.ok) return sendFailure(c, body.failure);
    c.set("jsonBody", body.value);
    const query = readOperationQuery(c, operation);
    if (query.problems.length + body.value.problems.length > 0) return sendProblems(c, operation);
    if (operation.query === undefined) c.req.addValidatedData("query", {});
    // The validator calls `queries`, whose own implementation decodes invalid UTF-8 differently.
    if (Object.keys(query.values).length > 0) {
      Object.assign(c.req, { queries: () => query.values });
    }
    return next();
  };
}

/** Reads the body and keeps its text for Hono's validator. Without a body schema, no body is read. */
async function readBody(
  c: AppContext,
  { body, bodyIsOptional = false }: Operation,
): Promise<Result<StrictBody, Failure>> {
  if (body === undefined) return ok(NO_BODY);
  const read = await readJsonBody(c.req.raw, { required: !bodyIsOptional });
  if (!read.ok) {
    const { failure } = read;
    // A body that is nested too deeply has problems, but no value for a schema to check.
    return failure.kind === "validation" ? ok({ value: undefined, ...failure }) : fail(failure);
  }
  const { text, value = {}, problems } = read.value;
  // Hono stores promises here, although the type says otherwise.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text === "" ? "{}" : text) });
  return ok({ value, problems });
}

/**
 * Responds with the problems of the path, query and body together. A body field whose raw value has a problem is not
 * reported again for its schema.
 */
function sendProblems(c: AppContext, operation: Operation): Response {
  const { body: schema } = operation;
  const pathResult = validateSchema(PATH_PARAMETERS, c.req.param());
  const query = readOperationQuery(c, operation);
  const queryResult = validateSchema(operation.query ?? NO_QUERY, query.values);
  const { value, problems: found } = c.get("jsonBody") ?? NO_BODY;
  const bodyResult =
    schema === undefined || value === undefined ? ok(null) : validateSchema(schema, value);
  const paths = new Set(found.map(({ path }) => path));
  const problems = [
    ...(pathResult.ok ? [] : pathResult.failure),
    ...query.problems,
    ...(queryResult.ok ? [] : queryResult.failure),
    ...found,
    ...(bodyResult.ok ? [] : bodyResult.failure.filter(({ path }) => !paths.has(path))),
  ];
  return sendFailure(c, { kind: "validation", problems });
}

function readOperationQuery(
  c: AppContext,
  { query = NO_QUERY, access, ignoresUnknownQuery = false, repeatedQuery }: Operation,
): ReturnType<typeof readQuery> {
  const ofLink = access === "link" ? SIGNED_LINK_PARAMETERS : [];
  const ignored = ignoresUnknownQuery ? null : ofLink;
  return readQuery(c.req.url, Object.keys(query.shape), ignored, repeatedQuery);
}
