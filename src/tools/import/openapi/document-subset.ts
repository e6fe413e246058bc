import {
  asJson,
  isJsonObject,
  type Json,
  type JsonObject,
  toJsonObject,
} from "../../../kernel/json.ts";
import { PROBLEMS_REPORTED_MAX } from "../../../kernel/limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { createCopyAllowance, type CopyAllowance } from "./import-cost.ts";
import { createSchemaCopier, type SchemaCopier } from "./copy-schemas.ts";
import { chooseBodyMediaType, copyEncoding } from "./form-encoding.ts";
import { type ImportNotes, trimToLength } from "../tool-draft.ts";
import type { ListedOperation } from "./operations.ts";
import { followReference, type ResolveReference } from "./references.ts";
import { isBefore31 } from "./parse-document.ts";

/** An OpenAPI 3.1 document with the selected operations only. */
export interface DocumentSubset {
  /** By capability id: `{parameters: […], requestBody?: {…}}` with references in schemas only. */
  readonly operations: Readonly<Record<string, JsonObject>>;
  readonly components: JsonObject;
}

const TYPES_SHOWN_MAX = 5;
const TYPE_CHARACTERS_MAX = 100;

/** Copies what requests need, and upgrades it to 3.1. Responses are nine tenths of GitHub's document. */
export async function copyDocumentSubset(
  document: JsonObject,
  operations: readonly ListedOperation[],
  resolve: ResolveReference,
  notes: ImportNotes,
): Promise<Result<DocumentSubset, readonly Problem[]>> {
  const problems: Problem[] = [];
  const before31 = isBefore31(document);
  const allowance = createCopyAllowance();
  const schemas = createSchemaCopier(resolve, problems, before31, allowance, notes);
  const copier: CopyContext = { resolve, schemas, allowance };
  const copies: [string, Json][] = [];
  for (const listed of operations) {
    copies.push([`/${listed.id}`, { post: copyOperation(listed, copier, problems) }]);
    if (problems.length >= PROBLEMS_REPORTED_MAX || allowance.isSpent()) break;
  }
  const components = schemas.components();
  if (allowance.isSpent()) {
    const message =
      "describes more requests than one import can hold; select some operations by tags or names";
    problems.push({ path: "document.paths", message });
  }
  if (problems.length > 0) return fail(problems);
  const copy: JsonObject = {
    openapi: before31 ? "3.0.4" : "3.1.1",
    paths: Object.fromEntries(copies),
    components: { schemas: components },
  };
  return ok(toSubset(before31 ? await upgradeTo31(copy) : copy));
}

function toSubset({ paths, components }: JsonObject): DocumentSubset {
  const items = Object.entries(toJsonObject(paths));
  return {
    operations: Object.fromEntries(
      items.map(([path, item]) => [path.slice(1), toJsonObject(toJsonObject(item)["post"])]),
    ),
    components: toJsonObject(toJsonObject(components)["schemas"]),
  };
}

async function upgradeTo31(copy: JsonObject): Promise<JsonObject> {
  const { upgradeFromThreeToThreeOne } = await import("@scalar/openapi-upgrader/3.0-to-3.1");
  // The upgrader returns a JSON document with a wider type.
  return toJsonObject(asJson(upgradeFromThreeToThreeOne(copy)));
}

interface CopyContext {
  readonly resolve: ResolveReference;
  readonly schemas: SchemaCopier;
  readonly allowance: CopyAllowance;
}

function copyOperation(
  { where, item, operation }: ListedOperation,
  copier: CopyContext,
  problems: Problem[],
): JsonObject {
  const parameters = new Map<string, JsonObject>();
  // A parameter of the operation replaces the one of the path with the same name and location.
  for (const [list, place] of [
    [item["parameters"], " (of the path)"],
    [operation["parameters"], ""],
  ] as const) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      const message = `must be a list of parameters, got ${preview(list)}`;
      problems.push({ path: `${where}.parameters${place}`, message });
      continue;
    }
    for (const [index, value] of list.entries()) {
      if (copier.allowance.isSpent() || problems.length >= PROBLEMS_REPORTED_MAX) break;
      const path = `${where}.parameters[${index}]${place}`;
      const parameter = copyParameter(value, path, copier);
      if (parameter.ok) {
        const { in: kind, name } = parameter.value;
        parameters.set(JSON.stringify([kind ?? "", name ?? ""]), parameter.value);
      } else {
        problems.push({ path, message: parameter.failure });
      }
    }
  }
  const copy: JsonObject = { parameters: [...parameters.values()] };
  if (operation["requestBody"] === undefined) return copy;
  const path = `${where}.requestBody`;
  const requestBody = copyBody(operation["requestBody"], path, copier);
  if (requestBody.ok) return { ...copy, requestBody: requestBody.value };
  problems.push({ path, message: requestBody.failure });
  return copy;
}

function copyParameter(
  value: Json,
  where: string,
  copier: CopyContext,
): Result<JsonObject, string> {
  const followed = followReference(value, copier.resolve);
  if (!followed.ok) return followed;
  const parameter = followed.value;
  const { name, in: place, schema, content } = parameter;
  if (typeof name !== "string" || typeof place !== "string") {
    return fail(`must have a name and say what it is in, got ${preview({ name, in: place })}`);
  }
  const copy: JsonObject = { name, in: place };
  if (!copier.allowance.spendOn(parameter)) return ok(copy);
  for (const keyword of ["description", "required", "deprecated", "style", "explode"]) {
    const found = parameter[keyword];
    if (typeof found === "string" || typeof found === "boolean") copy[keyword] = found;
  }
  if (!isJsonObject(content)) return ok({ ...copy, schema: copier.schemas.copy(schema, where) });
  if (!copier.allowance.spendOn(content)) return ok(copy);
  const [first] = Object.entries(content);
  const [type, media] = first ?? ["", null];
  const inside = copier.schemas.copy(toJsonObject(media)["schema"], where);
  return ok({ ...copy, content: type, schema: inside });
}

function copyBody(value: Json, where: string, copier: CopyContext): Result<JsonObject, string> {
  const followed = followReference(value, copier.resolve);
  if (!followed.ok) return followed;
  const { description, required, content } = followed.value;
  if (!isJsonObject(content)) {
    return fail(`must have a content by media types, got ${preview(content)}`);
  }
  const copy: JsonObject = { required: required === true, content: {} };
  const isPaid = copier.allowance.spendOn(followed.value) && copier.allowance.spendOn(content);
  if (!isPaid) return ok(copy);
  if (typeof description === "string") copy["description"] = description;
  const type = chooseBodyMediaType(content);
  if (type === null) {
    const types = Object.keys(content).slice(0, TYPES_SHOWN_MAX);
    return ok({ ...copy, offered: types.map((one) => trimToLength(one, TYPE_CHARACTERS_MAX)) });
  }
  const media = followReference(content[type.key], copier.resolve);
  if (!media.ok) return media;
  const schema = copier.schemas.copy(media.value["schema"], where);
  const encoding = toJsonObject(media.value["encoding"]);
  if (!copier.allowance.spendOn(encoding)) return ok(copy);
  const fields = copyEncoding(encoding);
  if (!copier.allowance.spendOnAll(fields)) return ok(copy);
  return ok({ ...copy, content: { [type.key]: { schema, encoding: fields } } });
}
