import { bytesOfBase64 } from "../../../bytes/base64.ts";
import type { FieldStyle, FilePart, MappedBody } from "../../../domain/connector.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { formProblem } from "./brackets.ts";
import { styled } from "./styled.ts";
import { textOf } from "./text.ts";

type Forms = Pick<MappedBody, "styles" | "files">;

/** What is wrong with the value of one field of a form. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * Fields as `application/x-www-form-urlencoded`. Without a style, lists of scalars repeat their field,
 * as OpenAPI has it, and what nests goes in brackets, which more servers read than its JSON.
 */
export async function urlencoded(
  fields: JsonObject,
  { styles }: Forms,
): Promise<Result<string, string>> {
  const problem = formProblem(fields);
  if (problem !== null) return fail(problem);
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const usual: FieldStyle = isNested(value) ? { style: "deepObject" } : {};
    const written = await styled(name, value, own(styles, name) ?? usual);
    if (!written.ok) return written;
    if (written.value !== "") pieces.push(written.value);
  }
  // A percent sign of the text itself is %25, so that this only meets spaces.
  return ok(pieces.join("&").replaceAll("%20", "+"));
}

/**
 * Fields as `multipart/form-data`. Without a style, lists repeat their field, and what is nested goes
 * as a part of JSON, as OpenAPI has it. Files are named like their field.
 */
export async function multipart(
  fields: JsonObject,
  { styles, files }: Forms,
): Promise<Result<FormData, FieldProblem>> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    const style = own(styles, field);
    if (value !== null && style?.style === "json") {
      form.append(field, jsonPart(value));
    } else if (style !== null) {
      const written = await styled(field, value, style);
      if (!written.ok) return fail({ field, message: written.failure });
      for (const [name, text] of new URLSearchParams(written.value)) form.append(name, text);
    } else {
      const file = own(files, field);
      for (const part of Array.isArray(value) ? value : [value]) {
        const message = appendPart(form, field, part, file);
        if (message !== null) return fail({ field, message });
      }
    }
  }
  return ok(form);
}

/** Null when the part could be appended, else what is wrong with it. */
function appendPart(
  form: FormData,
  field: string,
  part: Json,
  file: FilePart | null,
): string | null {
  if (part === null) return null;
  if (typeof part === "object") form.append(field, jsonPart(part));
  else if (file === null) form.append(field, textOf(part));
  else {
    const content = file.encoding === "base64" ? bytesOfBase64(textOf(part)) : textOf(part);
    if (content === null) return "must be base64: it is sent as a file";
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

/** What is told of a field; a field may be called `constructor`. */
function own<Told>(byField: Readonly<Record<string, Told>> | undefined, field: string) {
  return byField !== undefined && Object.hasOwn(byField, field) ? (byField[field] ?? null) : null;
}
