import type {
  BodyMapping,
  FieldStyle,
  FilePart,
  HttpRequestTemplate,
} from "../../model/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  checkFormSize,
  encodeStyled,
  findLongestParameter,
  formatParameterValue,
} from "./parameter-styles.ts";
import { decodeBase64 } from "../../../kernel/bytes.ts";

/**
 * Encodes fields as a URL-encoded form. By default, lists of scalars repeat the field, as in OpenAPI, and nested values
 * use brackets.
 */
async function buildUrlEncoded(
  fields: JsonObject,
  { styles }: BodyMapping,
): Promise<Result<string, string>> {
  const problem = checkFormSize(fields);
  if (problem !== null) return fail(problem);
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const usual: FieldStyle = isNested(value) ? { style: "deepObject" } : {};
    const written = await encodeStyled(name, value, findOwn(styles, name) ?? usual);
    if (!written.ok) return written;
    if (written.value !== "") pieces.push(written.value);
  }
  // A percent sign in the text is %25, so this replaces only spaces.
  return ok(pieces.join("&").replaceAll("%20", "+"));
}

/**
 * Encodes fields as multipart/form-data. By default, as in OpenAPI, lists repeat the field and nested values are JSON
 * parts.
 */
async function buildMultipart(
  fields: JsonObject,
  body: BodyMapping,
): Promise<Result<FormData, Problem[]>> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    const path = "parameter" in body ? `${body.parameter}.${field}` : (body.fields[field] ?? field);
    const style = findOwn(body.styles, field);
    if (value !== null && style?.style === "json") {
      form.append(field, jsonPart(value));
    } else if (style !== null) {
      const written = await encodeStyled(field, value, style);
      if (!written.ok) return fail([{ path, message: written.failure }]);
      for (const [name, text] of new URLSearchParams(written.value)) form.append(name, text);
    } else {
      const file = findOwn(body.files, field);
      for (const part of Array.isArray(value) ? value : [value]) {
        const message = appendPart(form, field, part, file);
        if (message !== null) return fail([{ path, message }]);
      }
    }
  }
  return ok(form);
}

/** Appends a part. Returns the problem with the part's value; null if there is none. */
function appendPart(
  form: FormData,
  field: string,
  part: Json,
  file: FilePart | null,
): string | null {
  if (part === null) return null;
  if (typeof part === "object") form.append(field, jsonPart(part));
  else if (file === null) form.append(field, formatParameterValue(part));
  else {
    const content =
      file.encoding === "base64"
        ? decodeBase64(formatParameterValue(part))
        : formatParameterValue(part);
    if (content === null) return "must be base64, because it is sent as a file";
    form.append(field, new Blob([content], { type: file.contentType }), field);
  }
  return null;
}

function jsonPart(value: Json): Blob {
  return new Blob([JSON.stringify(value)], { type: "application/json" });
}

function isNested(value: Json): boolean {
  if (Array.isArray(value)) return value.some((one) => typeof one === "object" && one !== null);
  return isJsonObject(value);
}

/** The option for a field. Only own properties count, because a field can be named `constructor`. */
function findOwn<Option>(byField: Readonly<Record<string, Option>> | undefined, field: string) {
  return byField !== undefined && Object.hasOwn(byField, field) ? (byField[field] ?? null) : null;
}

/** A body to send. `contentType` is null if the runtime sets the Content-Type, which contains a form's boundary. */
interface EncodedBody {
  readonly content: string | FormData;
  readonly contentType: string | null;
  /** Whether a Content-Type header, such as `text/csv`, may replace `contentType`. */
  readonly renamable: boolean;
}

/**
 * The body of a request; null if there is none, as for GET and HEAD. If the call has none of the body's parameters, a
 * JSON body with `fields` becomes `{}`, except for DELETE; any other body is omitted.
 */
export async function buildToolRequestBody(
  request: HttpRequestTemplate,
  parameters: JsonObject,
): Promise<Result<EncodedBody | null, Problem[]>> {
  const { body, method } = request;
  if (body === undefined || method === "GET" || method === "HEAD") return ok(null);
  const value =
    "parameter" in body
      ? findParameter(parameters, body.parameter)
      : collectFields(body.fields, parameters);
  if (value === undefined) return ok(null);
  const isEmpty = "fields" in body && isJsonObject(value) && Object.keys(value).length === 0;
  if (isEmpty && (body.as !== "json" || method === "DELETE")) return ok(null);
  if (body.as === "json") {
    const contentType = "application/json";
    return ok({ content: JSON.stringify(value), contentType, renamable: true });
  }
  if (value === null) return ok(null);
  if (body.as === "text") {
    const contentType = "text/plain;charset=UTF-8";
    return ok({ content: formatParameterValue(value), contentType, renamable: true });
  }
  if (!isJsonObject(value)) {
    const path = "parameter" in body ? body.parameter : "body";
    const message = `must be an object containing the form's fields, got ${preview(value)}`;
    return fail([{ path, message }]);
  }
  if (body.as === "multipart") {
    const form = await buildMultipart(value, body);
    return form.ok ? ok({ content: form.value, contentType: null, renamable: false }) : form;
  }
  const form = await buildUrlEncoded(value, body);
  if (!form.ok) {
    const names = "parameter" in body ? [body.parameter] : Object.values(body.fields);
    const path = findLongestParameter(names, parameters) ?? "body";
    return fail([{ path, message: form.failure }]);
  }
  const contentType = "application/x-www-form-urlencoded";
  return ok({ content: form.value, contentType, renamable: false });
}

function findParameter(parameters: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function collectFields(fields: Readonly<Record<string, string>>, parameters: JsonObject) {
  const entries = Object.entries(fields).flatMap(([field, name]): [string, Json][] => {
    const value = findParameter(parameters, name);
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(entries);
}
