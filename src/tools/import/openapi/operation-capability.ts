import type { HttpRequestTemplate, ParameterMapping } from "../../model/connector.ts";
import { DESCRIPTION_CHARACTERS_MAX } from "../../../kernel/limits.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import {
  type DraftCapability,
  hasUnsupportedText,
  type ImportNotes,
  trimToLength,
} from "../tool-draft.ts";
import { createParameterSet } from "./parameter-set.ts";
import { readOperationBody } from "./operation-body.ts";
import { readOperationParameters } from "./operation-parameters.ts";
import type { SchemaBundler } from "./bundle-schema.ts";
import type { OperationParts } from "./operation-parts.ts";
import type { SchemaDefinitions } from "./read-schemas.ts";

const RULE_CHARACTERS_MAX = 500;

/** What the conversion of an operation needs in addition to the operation's own parts. */
interface CapabilityContext {
  readonly definitions: SchemaDefinitions;
  readonly schemas: SchemaBundler;
  readonly baseUrl: string | null;
  readonly isAnonymous: boolean;
  readonly notes: ImportNotes;
}

/** Converts an operation to a capability. The failure completes "Omitted because it …". */
export function readOperationCapability(
  { id, method, path, name, description, parameters: given, body: givenBody }: OperationParts,
  { definitions, schemas, baseUrl, isAnonymous, notes }: CapabilityContext,
): Result<DraftCapability, string> {
  const dropped = (what: string): void => notes.add(`Imported without ${what}`, id);
  const outer = createParameterSet(schemas, []);
  const parts = readOperationParameters(path, given, outer, dropped);
  if (!parts.ok) return parts;
  const before = outer.list();
  const newSet = () => createParameterSet(schemas, before);
  const bodyParts = readOperationBody(method, givenBody, definitions, newSet, dropped);
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
  if (hasUnsupportedText(JSON.stringify(capability)))
    return fail("contains U+0000 or text that is not valid Unicode");
  return ok(capability);
}

function appendRule(description: string, rule: string): string {
  if (rule === "") return description;
  const end = trimToLength(rule, RULE_CHARACTERS_MAX);
  return `${trimToLength(description, DESCRIPTION_CHARACTERS_MAX - 2 - end.length)}\n\n${end}`.trim();
}
