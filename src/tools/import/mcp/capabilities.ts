import * as z from "zod";
import {
  DESCRIPTION_CHARACTERS_MAX,
  JSON_DEPTH_MAX,
  NAME_CHARACTERS_MAX,
} from "../../../kernel/limits.ts";
import { IMPORT_BYTES_MAX, PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { sanitizeText } from "../../../kernel/text.ts";
import { createImportNotes, type DraftCapability } from "../tool-draft.ts";
import { createCapabilityIds } from "../openapi/operations.ts";
import type { Parameter } from "../../model/capability.ts";
import {
  asJson,
  isJsonObject,
  isWithinDepth,
  type Json,
  type JsonObject,
  jsonSizeOf,
} from "../../../kernel/json.ts";
import { inferParameterType } from "../openapi/parameter-set.ts";
import { createReferenceResolver } from "../openapi/references.ts";
import { createSchemaBundler } from "../openapi/bundle-schema.ts";
import { createSchemaReader } from "../openapi/read-schemas.ts";

/** Reads the parameters in an `inputSchema`, and their size. The failure completes "Omitted because …". */
async function readInputSchema(
  inputSchema: unknown,
): Promise<Result<{ parameters: readonly Parameter[]; bytes: number }, string>> {
  if (!isWithinDepth(inputSchema, JSON_DEPTH_MAX)) {
    return fail(`their input is more than ${JSON_DEPTH_MAX} levels deep`);
  }
  const root = asJson(inputSchema);
  if (!isJsonObject(root)) return fail("they have no input schema");
  const schemas = readPropertySchemas(root);
  if (schemas === null) return fail("their input is not described as an object with properties");
  if (schemas.size > PARAMETERS_MAX)
    return fail(`they have more than ${PARAMETERS_MAX} parameters`);
  if (jsonSizeOf(root) > PARAMETERS_BYTES_MAX) return fail(TOO_LARGE);
  const problems: Problem[] = [];
  const resolve = await createReferenceResolver(root);
  const reader = createSchemaReader(resolve, problems, false, createImportNotes());
  const copies = [...schemas].map(([name, schema]) => ({ name, copy: reader.read(schema, name) }));
  const made = createSchemaBundler(reader.definitions());
  if (reader.isFull()) return fail(TOO_LARGE);
  if (problems.length > 0)
    return fail("their input schemas are invalid or refer to missing definitions");
  const required = readRequired(root);
  const parameters: Parameter[] = [];
  let bytes = 0;
  for (const { name, copy } of copies) {
    // A shared definition is copied into every parameter that uses it.
    const schema = made.bundle(copy, PARAMETERS_BYTES_MAX - bytes);
    if (schema === null) return fail(TOO_LARGE);
    const parameter = toParameter(name, schema, required.has(name));
    bytes += jsonSizeOf({ ...parameter, schema, description: parameter.description ?? "" });
    if (bytes > PARAMETERS_BYTES_MAX) return fail(TOO_LARGE);
    parameters.push(parameter);
  }
  return ok({ parameters, bytes });
}

const TOO_LARGE = `their parameters need more than ${PARAMETERS_BYTES_MAX} bytes`;

/** The schema of each parameter; null if the input is not an object with known properties. */
function readPropertySchemas(root: JsonObject): Map<string, Json> | null {
  const { type = "object", properties } = root;
  const isOpen = properties === undefined && ("oneOf" in root || "anyOf" in root || "$ref" in root);
  if (type !== "object" || isOpen || !isJsonObject(properties ?? {})) return null;
  const schemas = new Map<string, Json>(Object.entries(properties ?? {}));
  for (const name of readRequired(root)) if (!schemas.has(name)) schemas.set(name, true);
  return schemas;
}

function readRequired({ required }: JsonObject): Set<string> {
  const names = Array.isArray(required) ? required : [];
  return new Set(names.filter((name) => typeof name === "string"));
}

function toParameter(name: string, whole: JsonObject, required: boolean): Parameter {
  const { description: _, ...schema } = whole;
  // A parameter that accepts any type keeps its empty schema, because a type would restrict it.
  const type = inferParameterType(whole) ?? "string";
  const description = sanitizeText(findDescription(whole), DESCRIPTION_CHARACTERS_MAX);
  const isPlain = schema["type"] === type && Object.keys(schema).length === 1;
  return {
    name,
    type,
    required,
    ...(description === "" ? {} : { description }),
    ...(isPlain ? {} : { schema }),
  };
}

/** The description of a parameter, or of the definition it refers to. */
function findDescription({ description, $ref: reference, $defs: definitions }: JsonObject): string {
  if (typeof description === "string") return description;
  if (typeof reference !== "string" || !isJsonObject(definitions)) return "";
  const target = definitions[reference.slice("#/$defs/".length)];
  const inherited = isJsonObject(target) ? target["description"] : undefined;
  return typeof inherited === "string" ? inherited : "";
}

const TOOL = z.object({
  name: z.string().min(1),
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  inputSchema: z.unknown().optional(),
  annotations: z.object({ title: z.string() }).nullish().catch(null),
  execution: z.object({ taskSupport: z.unknown() }).nullish().catch(null),
});
type Tool = z.infer<typeof TOOL>;

/** A server's description of itself, and its unvalidated tools. */
export interface McpListing {
  readonly name: string;
  readonly title: string;
  readonly instructions: string;
  readonly websiteUrl: string;
  readonly tools: readonly unknown[];
  /** Why the list may be incomplete; null if it is complete. */
  readonly cutOff: string | null;
}

interface McpCapabilities {
  readonly capabilities: readonly DraftCapability[];
  readonly notes: readonly string[];
  /** Selected names that do not exist on the server. */
  readonly unknownNames: readonly string[];
  /** The names of the server's tools. */
  readonly offered: readonly string[];
}

/**
 * Converts the server's tools to capabilities: all of them, or those with the given names or ids. Ids do not depend on
 * the selection.
 */
export async function toMcpCapabilities(
  { tools: listed, cutOff }: McpListing,
  names: readonly string[],
): Promise<McpCapabilities> {
  const notes = createImportNotes();
  const tools = parseTools(listed);
  if (tools.length < listed.length && names.length === 0) {
    notes.add("Omitted because they have no unique name", `${listed.length - tools.length} tools`);
  }
  const ids = createCapabilityIds(
    tools.map(({ name }) => ({ operationId: name, method: "tool", path: name })),
  );
  const wanted = new Set(names);
  const capabilities: DraftCapability[] = [];
  let room = IMPORT_BYTES_MAX;
  for (const [index, tool] of tools.entries()) {
    const id = ids[index] ?? "";
    const isWanted = [wanted.delete(tool.name), wanted.delete(id)].includes(true);
    if (names.length > 0 && !isWanted) continue;
    const read = await readTool(tool, room);
    if (!read.ok) {
      notes.add(`Omitted because ${read.failure}`, preview(tool.name));
      continue;
    }
    room -= read.value.bytes;
    capabilities.push({ id, ...read.value.rest });
  }
  const first =
    cutOff === null ? [] : [`Only the first ${listed.length} tools were read, because ${cutOff}.`];
  return {
    capabilities,
    notes: [...first, ...notes.sentences()],
    unknownNames: [...wanted],
    offered: tools.map(({ name }) => name),
  };
}

function parseTools(listed: readonly unknown[]): Tool[] {
  const tools = new Map<string, Tool>();
  for (const one of listed) {
    const read = TOOL.safeParse(one);
    if (read.success && !tools.has(read.data.name)) tools.set(read.data.name, read.data);
  }
  return [...tools.values()];
}

/** Converts a tool to a capability. Also returns the size of its parameters. */
async function readTool(
  tool: Tool,
  room: number,
): Promise<Result<{ rest: Omit<DraftCapability, "id">; bytes: number }, string>> {
  if (tool.execution?.taskSupport === "required") {
    return fail("they run only as MCP tasks, which are not supported");
  }
  const read = await readInputSchema(tool.inputSchema);
  if (!read.ok) return read;
  const { parameters, bytes } = read.value;
  if (bytes > room) return fail("the parameters of earlier tools leave too little space");
  // MCP defines this order of precedence for display names.
  const names = [tool.title, tool.annotations?.title, tool.name];
  const name = names
    .map((one) => sanitizeText(one ?? "", NAME_CHARACTERS_MAX))
    .find((one) => one !== "");
  const description = sanitizeText(tool.description ?? "", DESCRIPTION_CHARACTERS_MAX);
  const operation = { type: "mcp", tool: tool.name } as const;
  return ok({ rest: { name: name ?? "tool", description, parameters, operation }, bytes });
}
