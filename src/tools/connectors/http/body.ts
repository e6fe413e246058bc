import type { HttpRequest, MappedBody } from "../../../domain/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { multipart, urlencoded } from "./form.ts";
import { textOf } from "./text.ts";

/** A body ready to be sent. `contentType` is null where the runtime writes it (a form's boundary). */
export interface WrittenBody {
  readonly content: string | FormData;
  readonly contentType: string | null;
  /** Whether a Content-Type among the headers may name it more closely, such as `text/csv`. */
  readonly renamable: boolean;
}

/**
 * The body that a request's mapping makes of the parameters; null for none: GET and HEAD have none,
 * nor have other requests to which nothing was given, but a JSON body of fields is then `{}`.
 */
export async function bodyOf(
  request: HttpRequest,
  parameters: JsonObject,
): Promise<Result<WrittenBody | null, Problem[]>> {
  const { body, method } = request;
  if (body === undefined || method === "GET" || method === "HEAD") return ok(null);
  const value =
    "parameter" in body ? given(parameters, body.parameter) : fieldsOf(body, parameters);
  if (value === undefined) return ok(null);
  const isEmpty = "fields" in body && isJsonObject(value) && Object.keys(value).length === 0;
  if (isEmpty && (body.as !== "json" || method === "DELETE")) return ok(null);
  if (body.as === "json") return ok(written(JSON.stringify(value), "application/json", true));
  if (value === null) return ok(null);
  if (body.as === "text") return ok(written(textOf(value), "text/plain;charset=UTF-8", true));
  const path = "parameter" in body ? body.parameter : "body";
  if (!isJsonObject(value)) {
    return fail([{ path, message: `must be an object of the form's fields, got ${shown(value)}` }]);
  }
  if (body.as === "multipart") {
    const form = await multipart(value, body);
    if (form.ok) return ok({ content: form.value, contentType: null, renamable: false });
    const { field, message } = form.failure;
    return fail([{ path: parameterOf(body, field), message }]);
  }
  const form = await urlencoded(value, body);
  if (!form.ok) return fail([{ path: largest(body, parameters), message: form.failure }]);
  return ok(written(form.value, "application/x-www-form-urlencoded", false));
}

function written(content: string, contentType: string, renamable: boolean): WrittenBody {
  return { content, contentType, renamable };
}

function given(parameters: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function fieldsOf(
  body: Extract<MappedBody, { fields: object }>,
  parameters: JsonObject,
): JsonObject {
  const entries = Object.entries(body.fields).flatMap(([field, name]): [string, Json][] => {
    const value = given(parameters, name);
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(entries);
}

function parameterOf(body: MappedBody, field: string): string {
  return "parameter" in body ? `${body.parameter}.${field}` : (body.fields[field] ?? field);
}

function largest(body: MappedBody, parameters: JsonObject): string {
  if ("parameter" in body) return body.parameter;
  const names = Object.values(body.fields);
  const lengths = names.map((name) => JSON.stringify(parameters[name] ?? null).length);
  return names[lengths.indexOf(Math.max(...lengths))] ?? "body";
}
