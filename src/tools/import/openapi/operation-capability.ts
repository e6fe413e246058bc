import type { HttpMethod, HttpRequestTemplate, ParameterMapping } from "../../model/connector.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import {
  type DraftCapability,
  formatDescription,
  hasUnsupportedText,
  type ImportNotes,
  trimToLength,
} from "../tool-draft.ts";
import type { ListedOperation } from "./operations.ts";
import { createParameterSet, readTextField } from "./parameter-set.ts";
import { readOperationBody } from "./operation-body.ts";
import { listOperationParameters, readOperationParameters } from "./operation-parameters.ts";
import type { SchemaBundler } from "./bundle-schema.ts";
import type { ImportCost } from "./import-cost.ts";

const RULE_CHARACTERS_MAX = 500;

/** The name and description of an operation, without references to the document. */
export interface OperationSummary {
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

/** The parts of the document that an operation needs. */
interface CapabilityContext {
  readonly components: JsonObject;
  readonly schemas: SchemaBundler;
  readonly work: ImportCost;
  readonly baseUrl: string | null;
  readonly isAnonymous: boolean;
  readonly notes: ImportNotes;
}

export function summarizeOperation(listed: ListedOperation): OperationSummary {
  const { id, operationId, method, path, operation } = listed;
  const summary = trimToLength(readTextField(operation, "summary"), DESCRIPTION_CHARACTERS_MAX);
  const text =
    trimToLength(readTextField(operation, "description"), DESCRIPTION_CHARACTERS_MAX) || summary;
  return {
    id,
    method,
    path,
    name: trimToLength(summary || (operationId ?? id), NAME_CHARACTERS_MAX),
    description: formatDescription(text, operation["deprecated"] === true),
  };
}

/** The capability of an operation; the failure completes "Left out, as it …". */
export function readOperationCapability(
  { id, method, path, name, description }: OperationSummary,
  operation: JsonObject,
  { components, schemas, work, baseUrl, isAnonymous, notes }: CapabilityContext,
): Result<DraftCapability, string> {
  const dropped = (what: string): void => notes.add(`Offered without ${what}`, id);
  const outer = createParameterSet(schemas, [], work);
  const parts = readOperationParameters(path, listOperationParameters(operation), outer, dropped);
  if (!parts.ok) return parts;
  const before = outer.list();
  const newSet = () => createParameterSet(schemas, before, work);
  const bodyParts = readOperationBody(method, operation, components, newSet, dropped);
  if (!bodyParts.ok) return bodyParts;
  const { body, contentType, rule } = bodyParts.value;
  const parameters = bodyParts.value.parameters.list();
  const { query } = parts.value;
  const headers: Record<string, ParameterMapping> = {
    ...parts.value.headers,
    ...(contentType === null ? {} : { "Content-Type": { value: contentType } }),
  };
  const request: HttpRequestTemplate = {
    method,
    path: parts.value.path,
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === null ? {} : { body }),
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(isAnonymous ? { anonymous: true } : {}),
  };
  const capability: DraftCapability = {
    id,
    name,
    description: appendRule(description, rule),
    parameters,
    operation: { type: "http", request },
  };
  if (hasUnsupportedText(JSON.stringify(capability))) return fail("holds text that is not Unicode");
  return ok(capability);
}

function appendRule(description: string, rule: string): string {
  if (rule === "") return description;
  const end = trimToLength(rule, RULE_CHARACTERS_MAX);
  return `${trimToLength(description, DESCRIPTION_CHARACTERS_MAX - 2 - end.length)}\n\n${end}`.trim();
}
