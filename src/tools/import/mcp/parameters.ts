import type { Parameter } from "../../../domain/capability.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import {
  BODY_DEPTH_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  PARAMETERS_BYTES_MAX,
  PARAMETERS_MAX,
} from "../../../domain/limits.ts";
import { type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { jsonBytes } from "../../../domain/size.ts";
import { isWithinDepth } from "../../connectors/depth.ts";
import { cut } from "../../../domain/text.ts";
import { newAllowance } from "../openapi/allowance.ts";
import { schemaCopier } from "../openapi/copy-schemas.ts";
import { typeOfSchema } from "../openapi/parameter-type.ts";
import { resolverOf } from "../openapi/references.ts";
import { schemaMaker } from "../openapi/self-contained.ts";
import { newWork } from "../openapi/work.ts";

interface Read {
  readonly parameters: readonly Parameter[];
  readonly bytes: number;
}

/** The parameters that a tool's `inputSchema` describes; the failure completes "Left out, as …". */
export async function parametersOf(inputSchema: unknown): Promise<Result<Read, string>> {
  if (!isWithinDepth(inputSchema, BODY_DEPTH_MAX)) {
    return fail(`their input is more than ${BODY_DEPTH_MAX} levels deep`);
  }
  const root = asJson(inputSchema);
  if (!isJsonObject(root)) return fail("they have no input schema");
  const schemas = schemasOf(root);
  if (schemas === null) return fail("their input is not described as an object with properties");
  if (schemas.size > PARAMETERS_MAX)
    return fail(`they have more than ${PARAMETERS_MAX} parameters`);
  if (jsonBytes(root) > PARAMETERS_BYTES_MAX) return fail(TOO_LARGE);
  const problems: Problem[] = [];
  const copier = schemaCopier(await resolverOf(root), problems, false, newAllowance());
  const copies = [...schemas].map(([name, schema]) => ({ name, copy: copier.copy(schema, name) }));
  const made = schemaMaker(copier.components(), newWork());
  if (problems.length > 0) return fail("their input schemas hold references that lead nowhere");
  const required = requiredOf(root);
  const parameters: Parameter[] = [];
  let bytes = 0;
  for (const { name, copy } of copies) {
    // A definition that many parameters share comes with each of them.
    const schema = made.selfContained(copy, PARAMETERS_BYTES_MAX - bytes);
    if (schema === null) return fail(TOO_LARGE);
    const parameter = parameterOf(name, schema, required.has(name));
    bytes += jsonBytes({ ...parameter, schema, description: parameter.description ?? "" });
    if (bytes > PARAMETERS_BYTES_MAX) return fail(TOO_LARGE);
    parameters.push(parameter);
  }
  return ok({ parameters, bytes });
}

const TOO_LARGE = `their parameters take more than ${PARAMETERS_BYTES_MAX} bytes`;

/** The schema of each parameter; null when the input is not an object of known properties. */
function schemasOf(root: JsonObject): Map<string, Json> | null {
  const { type = "object", properties } = root;
  const isOpen = properties === undefined && ("oneOf" in root || "anyOf" in root || "$ref" in root);
  if (type !== "object" || isOpen || !isJsonObject(properties ?? {})) return null;
  const schemas = new Map<string, Json>(Object.entries(properties ?? {}));
  for (const name of requiredOf(root)) if (!schemas.has(name)) schemas.set(name, true);
  return schemas;
}

function requiredOf({ required }: JsonObject): Set<string> {
  const names = Array.isArray(required) ? required : [];
  return new Set(names.filter((name) => typeof name === "string"));
}

function parameterOf(name: string, whole: JsonObject, required: boolean): Parameter {
  const { description: _, ...schema } = whole;
  // What takes any value keeps its empty schema, since the bare type would narrow it.
  const type = typeOfSchema(whole) ?? "string";
  const description = cut(describing(whole), DESCRIPTION_CHARACTERS_MAX);
  const isPlain = schema["type"] === type && Object.keys(schema).length === 1;
  return {
    name,
    type,
    required,
    ...(description === "" ? {} : { description }),
    ...(isPlain ? {} : { schema }),
  };
}

/** Its own description, or that of the definition which it refers to. */
function describing({ description, $ref: reference, $defs: definitions }: JsonObject): string {
  if (typeof description === "string") return description;
  if (typeof reference !== "string" || !isJsonObject(definitions)) return "";
  const target = definitions[reference.slice("#/$defs/".length)];
  const inherited = isJsonObject(target) ? target["description"] : undefined;
  return typeof inherited === "string" ? inherited : "";
}

/** It came out of JSON.parse. */
function asJson(value: unknown): Json | undefined {
  return value as Json | undefined;
}
