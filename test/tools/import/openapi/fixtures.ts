import { readFileSync } from "node:fs";
import { Validator } from "@cfworker/json-schema";
import type { Parameter } from "../../../../src/tools/model/capability.ts";
import type { HttpConnector, HttpRequestTemplate } from "../../../../src/tools/model/connector.ts";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import type { Problem } from "../../../../src/kernel/result.ts";
import type { DraftCapability, ToolDraft } from "../../../../src/tools/import/tool-draft.ts";
import {
  readOpenApi,
  type OpenApiOptions,
} from "../../../../src/tools/import/openapi/read-openapi.ts";

const DEFAULTS: OpenApiOptions = {
  selection: {},
  baseUrl: null,
  sourceUrl: null,
  onProgress: () => Promise.resolve(),
};

/** A small OpenAPI document. `more` overrides its fields. */
export function document(paths: JsonObject, more: JsonObject = {}): JsonObject {
  const info = { title: "Tides", version: "1" };
  return { openapi: "3.1.0", info, servers: [{ url: "https://tides.example" }], paths, ...more };
}

/** A path item with one operation, whose parameter `q` has this schema. */
export function queryOperation(schema: Json): JsonObject {
  return { get: { parameters: [{ name: "q", in: "query", schema }] } };
}

/** Imports a document, given as an object or as text. */
function importDocument(content: JsonObject | string, options: Partial<OpenApiOptions> = {}) {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return readOpenApi(text, { ...DEFAULTS, ...options });
}

export async function draftOf(
  content: JsonObject | string,
  options?: Partial<OpenApiOptions>,
): Promise<ToolDraft> {
  const draft = await importDocument(content, options);
  if (!draft.ok) throw new Error(JSON.stringify(draft.failure));
  return draft.value;
}

export async function problemsOf(
  content: JsonObject | string,
  options?: Partial<OpenApiOptions>,
): Promise<Problem[]> {
  const draft = await importDocument(content, options);
  return draft.ok ? [] : draft.failure;
}

/**
 * Imports a document whose only operation is this one, by default at `GET /`, and returns its
 * capability.
 */
export async function capabilityOf(
  operation: JsonObject,
  { path = "/", method = "get", ...more }: { path?: string; method?: string } & JsonObject = {},
): Promise<DraftCapability> {
  const { capabilities, notes } = await draftOf(
    document({ [path]: { [method]: operation } }, more),
  );
  const [first] = capabilities;
  if (first === undefined) throw new Error(notes.join(" "));
  return first;
}

export function capability(draft: ToolDraft, id: string): DraftCapability {
  const found = draft.capabilities.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no ${id}`);
  return found;
}

export function parameter({ parameters }: DraftCapability, name: string): Parameter {
  const found = parameters.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found;
}

export function requestOf({ operation }: DraftCapability): HttpRequestTemplate {
  if (operation.type !== "http") throw new Error(operation.type);
  return operation.request;
}

export function connectorOf({ connector }: ToolDraft): HttpConnector {
  if (connector.type !== "http") throw new Error(connector.type);
  return connector;
}

/** Whether a value matches a parameter's schema according to an independent validator. */
export function matchesSchema({ schema }: Parameter, value: unknown): boolean {
  if (schema === undefined) throw new Error("There is no schema");
  return new Validator(schema, "2020-12").validate(value).valid;
}

/** Reads a provider's real document from an npm package. */
export function readPublished(file: string): string {
  return readFileSync(`node_modules/${file}`, "utf8");
}
