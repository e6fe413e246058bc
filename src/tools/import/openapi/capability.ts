import type { HttpMethod, HttpRequest, Mapped } from "../../../domain/connector.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { DESCRIPTION_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../../domain/limits.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { DraftCapability } from "../draft.ts";
import type { Notes } from "./notes.ts";
import type { ListedOperation } from "./operations.ts";
import { parameterSet, textIn } from "./parameter-set.ts";
import { readBody } from "./request-body.ts";
import { parametersOf, readParts } from "./request-parts.ts";
import type { SchemaMaker } from "./self-contained.ts";
import { cut, described, hasUnfitText } from "./text.ts";
import type { Work } from "./work.ts";

const RULE_CHARACTERS_MAX = 500;

/** What an operation is called and what it is for; nothing of it holds on to the document. */
export interface OperationFacts {
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

/** What one operation needs to know of the rest of the document. */
export interface Surroundings {
  readonly components: JsonObject;
  readonly schemas: SchemaMaker;
  readonly work: Work;
  readonly baseUrl: string | null;
  readonly isAnonymous: boolean;
  readonly notes: Notes;
}

export function factsOf({
  id,
  operationId,
  method,
  path,
  operation,
}: ListedOperation): OperationFacts {
  const summary = cut(textIn(operation, "summary"), DESCRIPTION_CHARACTERS_MAX);
  const text = cut(textIn(operation, "description"), DESCRIPTION_CHARACTERS_MAX) || summary;
  return {
    id,
    method,
    path,
    name: cut(summary || (operationId ?? id), NAME_CHARACTERS_MAX),
    description: described(text, operation["deprecated"] === true),
  };
}

/** A capability of an operation as the surface holds it; the failure completes "Left out, as it …". */
export function readCapability(
  { id, method, path, name, description }: OperationFacts,
  operation: JsonObject,
  { components, schemas, work, baseUrl, isAnonymous, notes }: Surroundings,
): Result<DraftCapability, string> {
  const dropped = (what: string): void => notes.add(`Offered without ${what}`, id);
  const outer = parameterSet(schemas, [], work);
  const parts = readParts(path, parametersOf(operation), outer, dropped);
  if (!parts.ok) return parts;
  const before = outer.list();
  const newSet = () => parameterSet(schemas, before, work);
  const bodyParts = readBody(method, operation, components, newSet, dropped);
  if (!bodyParts.ok) return bodyParts;
  const { body, contentType, rule } = bodyParts.value;
  const parameters = bodyParts.value.parameters.list();
  const { query } = parts.value;
  const headers: Record<string, Mapped> = {
    ...parts.value.headers,
    ...(contentType === null ? {} : { "Content-Type": { value: contentType } }),
  };
  const request: HttpRequest = {
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
    description: withRule(description, rule),
    parameters,
    operation: { type: "http", request },
  };
  if (hasUnfitText(JSON.stringify(capability))) return fail("holds text that is not Unicode");
  return ok(capability);
}

function withRule(description: string, rule: string): string {
  if (rule === "") return description;
  const end = cut(rule, RULE_CHARACTERS_MAX);
  return `${cut(description, DESCRIPTION_CHARACTERS_MAX - 2 - end.length)}\n\n${end}`.trim();
}
