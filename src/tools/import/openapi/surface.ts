import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { PROBLEMS_TOLD_MAX } from "../../../domain/limits.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { newAllowance, type Allowance } from "./allowance.ts";
import { schemaCopier, type SchemaCopier } from "./copy-schemas.ts";
import { copyEncoding } from "./form-fields.ts";
import { chooseBodyType } from "./media-type.ts";
import type { Notes } from "./notes.ts";
import type { ListedOperation } from "./operations.ts";
import { follow, type Resolve } from "./references.ts";
import { cut } from "./text.ts";
import { isBefore31 } from "./version.ts";

/** What requests are made of: an OpenAPI 3.1 document of the selected operations and nothing else. */
export interface Surface {
  /** By capability id: `{parameters: […], requestBody?: {…}}` without references, but in schemas. */
  readonly operations: Readonly<Record<string, JsonObject>>;
  /** The schemas that others refer to, by name. */
  readonly components: JsonObject;
}

const TYPES_SHOWN_MAX = 5;
const TYPE_CHARACTERS_MAX = 100;

/**
 * Copies what requests need out of a document and upgrades it to 3.1. Answers, examples and webhooks,
 * nine tenths of GitHub's document, stay behind.
 */
export async function copySurface(
  document: JsonObject,
  operations: readonly ListedOperation[],
  resolve: Resolve,
  notes: Notes,
): Promise<Result<Surface, readonly Problem[]>> {
  const problems: Problem[] = [];
  const before31 = isBefore31(document);
  const allowance = newAllowance();
  const schemas = schemaCopier(resolve, problems, before31, allowance, notes);
  const copier: Copier = { resolve, schemas, allowance };
  const copies: [string, Json][] = [];
  for (const listed of operations) {
    copies.push([`/${listed.id}`, { post: copyOperation(listed, copier, problems) }]);
    if (problems.length >= PROBLEMS_TOLD_MAX || allowance.isSpent()) break;
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
  return ok(surfaceOf(before31 ? await upgraded(copy) : copy));
}

function surfaceOf({ paths, components }: JsonObject): Surface {
  const items = isJsonObject(paths) ? Object.entries(paths) : [];
  const schemas = isJsonObject(components) ? components["schemas"] : {};
  return {
    operations: Object.fromEntries(
      items.map(([path, item]) => [path.slice(1), objectOf(objectOf(item)["post"])]),
    ),
    components: objectOf(schemas),
  };
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

async function upgraded(copy: JsonObject): Promise<JsonObject> {
  const { upgradeFromThreeToThreeOne } = await import("@scalar/openapi-upgrader/3.0-to-3.1");
  return asJsonObject(upgradeFromThreeToThreeOne(copy));
}

/** The upgrader makes a document of JSON out of one, and types it as any OpenAPI document. */
function asJsonObject(value: object): JsonObject {
  return value as JsonObject;
}

/** What copying takes from one operation to the next. */
interface Copier {
  readonly resolve: Resolve;
  readonly schemas: SchemaCopier;
  readonly allowance: Allowance;
}

function copyOperation(
  { where, item, operation }: ListedOperation,
  copier: Copier,
  problems: Problem[],
): JsonObject {
  const parameters = new Map<string, JsonObject>();
  // A parameter of the operation stands for the path's one with the same name and place.
  for (const [list, place] of [
    [item["parameters"], " (of the path)"],
    [operation["parameters"], ""],
  ] as const) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      const message = `must be a list of parameters, got ${shown(list)}`;
      problems.push({ path: `${where}.parameters${place}`, message });
      continue;
    }
    for (const [index, value] of list.entries()) {
      if (copier.allowance.isSpent() || problems.length >= PROBLEMS_TOLD_MAX) break;
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

function copyParameter(value: Json, where: string, copier: Copier): Result<JsonObject, string> {
  const followed = follow(value, copier.resolve);
  if (!followed.ok) return followed;
  const parameter = followed.value;
  const { name, in: place, schema, content } = parameter;
  if (typeof name !== "string" || typeof place !== "string") {
    return fail(`must have a name and say what it is in, got ${shown({ name, in: place })}`);
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
  const inside = copier.schemas.copy(objectOf(media)["schema"], where);
  return ok({ ...copy, content: type, schema: inside });
}

function copyBody(value: Json, where: string, copier: Copier): Result<JsonObject, string> {
  const followed = follow(value, copier.resolve);
  if (!followed.ok) return followed;
  const { description, required, content } = followed.value;
  if (!isJsonObject(content)) {
    return fail(`must have a content by media types, got ${shown(content)}`);
  }
  const copy: JsonObject = { required: required === true, content: {} };
  const isPaid = copier.allowance.spendOn(followed.value) && copier.allowance.spendOn(content);
  if (!isPaid) return ok(copy);
  if (typeof description === "string") copy["description"] = description;
  const type = chooseBodyType(content);
  if (type === null) {
    const types = Object.keys(content).slice(0, TYPES_SHOWN_MAX);
    return ok({ ...copy, offered: types.map((one) => cut(one, TYPE_CHARACTERS_MAX)) });
  }
  const media = follow(content[type.key], copier.resolve);
  if (!media.ok) return media;
  const schema = copier.schemas.copy(media.value["schema"], where);
  const encoding = objectOf(media.value["encoding"]);
  if (!copier.allowance.spendOn(encoding)) return ok(copy);
  const fields = copyEncoding(encoding);
  if (!copier.allowance.spendOnAll(fields)) return ok(copy);
  return ok({ ...copy, content: { [type.key]: { schema, encoding: fields } } });
}
