import type { ImportSelection } from "../../model/tool.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { IMPORT_PARAMETERS_BYTES_MAX, TOOL_TIMEOUT_DEFAULT_MS } from "../../limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  createImportNotes,
  type DraftCapability,
  type ImportNotes,
  type OnImportProgress,
  type ToolDraft,
  trimToLength,
} from "../tool-draft.ts";
import { readOperationCapability } from "./operation-capability.ts";
import { createSchemaBundler } from "./bundle-schema.ts";
import { inspectSchema } from "../../schema/inspect-schema.ts";
import { isJsonObject, type Json, toJsonObject } from "../../../kernel/json.ts";
import { findRepeatedOperationIds, listOperations, selectOperations } from "./operations.ts";
import { readTextField } from "./parameter-set.ts";
import { checkOpenApiVersion, parseOpenApiText } from "./parse-document.ts";
import { createReferenceResolver } from "./references.ts";
import { readSecurity, type ApiSecurity } from "./security.ts";
import { readServers, type ServerOptions, type ApiServers } from "./servers.ts";
import { type OperationParts, readOperationParts } from "./operation-parts.ts";
import type { SchemaDefinitions } from "./read-schemas.ts";

/** The parts of a document that an import keeps, so that the document itself can be freed. */
interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly documentation: string;
  readonly servers: ApiServers;
  readonly security: ApiSecurity;
  readonly operations: readonly OperationParts[];
  readonly definitions: SchemaDefinitions;
}

async function readApiDescription(
  text: string,
  selection: ImportSelection,
  options: ServerOptions & { readonly isRemembered?: boolean | undefined },
  notes: ImportNotes,
): Promise<Result<ApiDescription, readonly Problem[]>> {
  const parsed = await parseOpenApiText(text);
  if (!parsed.ok) return fail([parsed.failure]);
  const document = parsed.value;
  const unknownVersion = checkOpenApiVersion(document);
  if (unknownVersion !== null) return fail([unknownVersion]);
  const resolve = await createReferenceResolver(document);
  const listed = listOperations(document, resolve, notes);
  if (!listed.ok) return listed;
  const onUnknownName = options.isRemembered
    ? (name: string) => notes.add("Selected but no longer in the source", name)
    : null;
  const selected = selectOperations(listed.value, selection, onUnknownName);
  if (!selected.ok) return selected;
  const servers = readServers(document, selected.value, options, notes);
  if (!servers.ok) return servers;
  const repeating = findRepeatedOperationIds(listed.value);
  for (const operation of selected.value) {
    if (!repeating.has(operation)) continue;
    notes.add(
      "Repeats an earlier operationId, so the capability received a different id",
      operation.id,
    );
  }
  const parts = readOperationParts(document, selected.value, resolve, notes);
  if (!parts.ok) return parts;
  const info = toJsonObject(document["info"]);
  const description = trimToLength(readTextField(info, "description"), DESCRIPTION_CHARACTERS_MAX);
  const summary = trimToLength(readTextField(info, "summary"), DESCRIPTION_CHARACTERS_MAX);
  return ok({
    title:
      trimToLength(readTextField(info, "title"), NAME_CHARACTERS_MAX) ||
      (URL.parse(servers.value.baseUrl)?.host ?? servers.value.baseUrl),
    description: description || summary,
    documentation: readWebUrl(document["externalDocs"]) ?? stripQuery(options.sourceUrl),
    servers: servers.value,
    security: readSecurity(document, selected.value, resolve, notes),
    ...parts.value,
  });
}

/** The URL of a document without its query, which can contain a token. */
function stripQuery(sourceUrl: string | null): string {
  const url = URL.parse(sourceUrl ?? "");
  return url === null ? "" : `${url.origin}${url.pathname}`;
}

function readWebUrl(externalDocs: Json | undefined): string | null {
  if (!isJsonObject(externalDocs)) return null;
  const url = URL.parse(readTextField(externalDocs, "url"));
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.href : null;
}

/**
 * Compiling this many instructions takes half a second. The patterns of GitHub, Stripe and Galaxy together need a
 * thousandth of that.
 */
const PATTERN_INSTRUCTIONS_MAX = 125_000;
const PARAMETER_CHARACTERS_MAX = 100;
const UNCHECKED_REASON =
  "Only the parameter's type is checked, not its pattern, because RE2 does not support the pattern (no lookaround or backreferences, no lengths or counts over 1,000)";

/** Adds a note for each parameter pattern that cannot be checked or was not compiled. */
async function noteUnsupportedPatterns(
  capabilities: readonly DraftCapability[],
  notes: ImportNotes,
): Promise<void> {
  const patterns = collectPatterns(capabilities);
  if (patterns.size === 0) return;
  const { compileLinearPattern } = await import("../../schema/linear-pattern.ts");
  let instructions = 0;
  for (const [source, place] of patterns) {
    if (instructions > PATTERN_INSTRUCTIONS_MAX) {
      notes.add(
        "The pattern was not compiled, because there are too many patterns, or they are too large",
        preview(source),
      );
      continue;
    }
    const compiled = compileLinearPattern(source);
    if (compiled.ok) instructions += compiled.value.programSize();
    else notes.add(UNCHECKED_REASON, `${preview(source)} (first in ${place})`);
  }
}

/** Each pattern, with the first parameter that uses it. */
function collectPatterns(capabilities: readonly DraftCapability[]): ReadonlyMap<string, string> {
  const patterns = new Map<string, string>();
  for (const { id, parameters } of capabilities) {
    for (const { name, schema } of parameters) {
      // Most schemas have no pattern, and searching their text is faster than walking them.
      if (schema === undefined || !JSON.stringify(schema).includes('"pattern')) continue;
      for (const source of inspectSchema(schema).patterns.keys()) {
        if (patterns.has(source)) continue;
        patterns.set(source, `${trimToLength(name, PARAMETER_CHARACTERS_MAX)} of ${id}`);
      }
    }
  }
  return patterns;
}

export interface OpenApiOptions {
  readonly selection: ImportSelection;
  /** Whether the selection comes from an earlier import, in which case some names may no longer exist. */
  readonly isRemembered?: boolean | undefined;
  /** The API's URL; null to use the one in the document. */
  readonly baseUrl: string | null;
  /** The document's URL; null if the request contains the document. */
  readonly sourceUrl: string | null;
  /** Called after every 50 operations and at the end. */
  readonly onProgress: OnImportProgress;
}

const PROGRESS_EVERY = 50;
const NOTES_SHOWN_MAX = 5;

/** Converts an OpenAPI 3.0, 3.1 or 3.2 document to a tool. Unsupported parts are omitted and noted. */
export async function readOpenApi(
  text: string,
  options: OpenApiOptions,
): Promise<Result<ToolDraft, Problem[]>> {
  const notes = createImportNotes();
  const api = await readApiDescription(text, options.selection, options, notes);
  if (!api.ok) return fail([...api.failure]);
  const { title, description, documentation, servers, security } = api.value;
  const capabilities = await readCapabilities(api.value, notes, options.onProgress);
  if (!capabilities.ok) return fail([capabilities.failure]);
  await noteUnsupportedPatterns(capabilities.value, notes);
  return ok({
    name: title,
    description,
    documentation,
    authentication: security.authentication,
    connector: {
      type: "http",
      baseUrl: servers.baseUrl,
      headers: {},
      timeoutMs: TOOL_TIMEOUT_DEFAULT_MS,
      credential: security.credential,
    },
    capabilities: capabilities.value,
    notes: notes.sentences(),
  });
}

async function readCapabilities(
  { operations, servers, security, definitions }: ApiDescription,
  notes: ImportNotes,
  onProgress: OnImportProgress,
): Promise<Result<DraftCapability[], Problem>> {
  const capabilities: DraftCapability[] = [];
  const schemas = createSchemaBundler(definitions);
  let bytes = 0;
  for (const [index, operation] of operations.entries()) {
    const baseUrl = servers.others.get(operation.id) ?? null;
    const isAnonymous = security.anonymous.has(operation.id);
    const surroundings = { definitions, schemas, baseUrl, isAnonymous, notes };
    const capability = readOperationCapability(operation, surroundings);
    if (capability.ok) {
      capabilities.push(capability.value);
      bytes += estimateBytes(capability.value.parameters);
    } else notes.add(`Omitted because it ${capability.failure}`, operation.id);
    if (bytes > IMPORT_PARAMETERS_BYTES_MAX || schemas.isFull()) {
      const message =
        "describes more parameters than one import can store; select fewer operations by tag or name";
      return fail({ path: "document.paths", message });
    }
    const done = index + 1;
    const isReportDue = done % PROGRESS_EVERY === 0 || done === operations.length;
    if (isReportDue) await onProgress(done, operations.length);
  }
  if (capabilities.length > 0) return ok(capabilities);
  const reasons = notes.sentences().slice(0, NOTES_SHOWN_MAX).join(" ");
  return fail({
    path: "document.paths",
    message: `does not contain any operation that can be called. ${reasons}`,
  });
}

/** The memory used by an object or field, excluding its text. */
const ENTRY_BYTES = 50;

function estimateBytes(parameters: DraftCapability["parameters"]): number {
  const text = JSON.stringify(parameters);
  return text.length + ENTRY_BYTES * (text.match(/[{:]/g)?.length ?? 0);
}
