import { isJsonObject, type Json, type JsonObject, toJsonObject } from "../../../kernel/json.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PROBLEMS_REPORTED_MAX,
} from "../../../kernel/limits.ts";
import type { HttpMethod } from "../../model/connector.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { PARAMETERS_MAX } from "../../limits.ts";
import { type BodyMediaType, chooseBodyMediaType } from "./form-encoding.ts";
import { formatDescription, type ImportNotes, trimToLength } from "../tool-draft.ts";
import type { ListedOperation } from "./operations.ts";
import { readTextField } from "./parameter-set.ts";
import { followReference, type ResolveReference } from "./references.ts";
import { isBefore31 } from "./parse-document.ts";
import { createSchemaReader, type SchemaDefinitions, type SchemaReader } from "./read-schemas.ts";

/** The data needed to build an operation's capability, without references to the document. */
export interface OperationParts {
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly OperationParameter[];
  readonly body: OperationBody | null;
}

export interface OperationParameter {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  readonly style: string;
  readonly explode: boolean | null;
  readonly schema: Json;
  /** The media type; null if the parameter has a style instead. */
  readonly mediaType: string | null;
}

export interface OperationBody {
  readonly required: boolean;
  readonly description: string;
  /** Null if the service cannot encode any of the offered types. */
  readonly type: BodyMediaType | null;
  readonly offered: readonly string[];
  readonly schema: Json;
  /** The encoding of each field, by name. */
  readonly encoding: JsonObject;
}

interface SelectedParts {
  readonly operations: readonly OperationParts[];
  readonly definitions: SchemaDefinitions;
}

const TYPES_SHOWN_MAX = 5;
const TYPE_CHARACTERS_MAX = 100;

/** Reads the parts of the selected operations. Skips responses, which make up nine tenths of GitHub's document. */
export function readOperationParts(
  document: JsonObject,
  operations: readonly ListedOperation[],
  resolve: ResolveReference,
  notes: ImportNotes,
): Result<SelectedParts, readonly Problem[]> {
  const problems: Problem[] = [];
  const schemas = createSchemaReader(resolve, problems, isBefore31(document), notes);
  const read = createPartsReader(resolve, schemas, problems);
  const parts: OperationParts[] = [];
  for (const operation of operations) {
    parts.push(read(operation));
    if (problems.length >= PROBLEMS_REPORTED_MAX || schemas.isFull()) break;
  }
  const definitions = schemas.definitions();
  if (schemas.isFull()) {
    const message =
      "describes more schemas than one import can read; select fewer operations by tag or name";
    problems.push({ path: "document.paths", message });
  }
  return problems.length > 0 ? fail(problems) : ok({ operations: parts, definitions });
}

/** Reads each parameter and body only once, because thousands of operations can refer to the same one. */
function createPartsReader(
  resolve: ResolveReference,
  schemas: SchemaReader,
  problems: Problem[],
): (operation: ListedOperation) => OperationParts {
  const knownParameters = new WeakMap<JsonObject, Result<OperationParameter, string>>();
  const knownBodies = new WeakMap<JsonObject, Result<OperationBody, string>>();

  function readParameters({ where, item, operation }: ListedOperation): OperationParameter[] {
    // An operation's parameter overrides a parameter of its path with the same name and location.
    const parameters = new Map<string, OperationParameter>();
    for (const [list, place] of [
      [item["parameters"], " (on the path)"],
      [operation["parameters"], ""],
    ] as const) {
      if (list === undefined) continue;
      if (!Array.isArray(list)) {
        const message = `must be a list of parameters, got ${preview(list)}`;
        problems.push({ path: `${where}.parameters${place}`, message });
        continue;
      }
      // One parameter more than the maximum is enough to show that the operation must be omitted.
      for (const [index, value] of list.slice(0, PARAMETERS_MAX + 1).entries()) {
        if (problems.length >= PROBLEMS_REPORTED_MAX) break;
        const path = `${where}.parameters[${index}]${place}`;
        const parameter = readOnce(value, knownParameters, (object) =>
          readParameter(object, path, schemas),
        );
        if (parameter.ok) {
          const { place: kind, name } = parameter.value;
          parameters.set(JSON.stringify([kind, name]), parameter.value);
        } else problems.push({ path, message: parameter.failure });
      }
    }
    return [...parameters.values()];
  }

  function readBody({ where, operation }: ListedOperation): OperationBody | null {
    if (operation["requestBody"] === undefined) return null;
    const path = `${where}.requestBody`;
    const body = readOnce(operation["requestBody"], knownBodies, (object) =>
      readBodyObject(object, path, resolve, schemas),
    );
    if (body.ok) return body.value;
    problems.push({ path, message: body.failure });
    return null;
  }

  function readOnce<Part>(
    value: Json,
    known: WeakMap<JsonObject, Result<Part, string>>,
    read: (object: JsonObject) => Result<Part, string>,
  ): Result<Part, string> {
    const followed = followReference(value, resolve);
    if (!followed.ok) return followed;
    const part = known.get(followed.value) ?? read(followed.value);
    known.set(followed.value, part);
    return part;
  }

  return (operation) => ({
    ...summarizeOperation(operation),
    parameters: readParameters(operation),
    body: readBody(operation),
  });
}

function summarizeOperation(listed: ListedOperation): Omit<OperationParts, "parameters" | "body"> {
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

function readParameter(
  parameter: JsonObject,
  where: string,
  schemas: SchemaReader,
): Result<OperationParameter, string> {
  const { name, in: place, schema, content, explode } = parameter;
  if (typeof name !== "string" || typeof place !== "string") {
    return fail(`must have the fields name and in, got ${preview({ name, in: place })}`);
  }
  const [media] = isJsonObject(content) ? Object.entries(content) : [];
  const own = isJsonObject(content) ? toJsonObject(media?.[1])["schema"] : schema;
  return ok({
    name,
    place,
    required: parameter["required"] === true,
    description: readTextField(parameter, "description"),
    deprecated: parameter["deprecated"] === true,
    style: readTextField(parameter, "style"),
    explode: typeof explode === "boolean" ? explode : null,
    schema: schemas.read(own, where),
    mediaType: isJsonObject(content) ? (media?.[0] ?? "") : null,
  });
}

function readBodyObject(
  body: JsonObject,
  where: string,
  resolve: ResolveReference,
  schemas: SchemaReader,
): Result<OperationBody, string> {
  const { content } = body;
  if (!isJsonObject(content)) {
    return fail(`must have a content object keyed by media type, got ${preview(content)}`);
  }
  const type = chooseBodyMediaType(content);
  const media = type === null ? ok<JsonObject>({}) : followReference(content[type.key], resolve);
  if (!media.ok) return media;
  const offered = Object.keys(content).slice(0, TYPES_SHOWN_MAX);
  return ok({
    required: body["required"] === true,
    description: readTextField(body, "description"),
    type,
    offered: offered.map((one) => trimToLength(one, TYPE_CHARACTERS_MAX)),
    schema: schemas.read(media.value["schema"], where),
    encoding: toJsonObject(media.value["encoding"]),
  });
}
