import * as z from "zod";
import {
  DESCRIPTION_CHARACTERS_MAX,
  IMPORT_BYTES_MAX,
  NAME_CHARACTERS_MAX,
} from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { cut } from "../../../domain/text.ts";
import type { DraftCapability } from "../draft.ts";
import { gatherNotes } from "../openapi/notes.ts";
import { identifiers } from "../openapi/operation-id.ts";
import type { Listing } from "./listing.ts";
import { parametersOf } from "./parameters.ts";

/** A tool as far as it is looked at; what else a server says of it is none of our business. */
const TOOL = z.object({
  name: z.string().min(1),
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  inputSchema: z.unknown().optional(),
  annotations: z.object({ title: z.string() }).nullish().catch(null),
  execution: z.object({ taskSupport: z.unknown() }).nullish().catch(null),
});
type Tool = z.infer<typeof TOOL>;

export interface Taken {
  readonly capabilities: readonly DraftCapability[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
  /** Names that were asked for and are not among the server's tools. */
  readonly unknownNames: readonly string[];
  /** The names of all tools of the server. */
  readonly offered: readonly string[];
}

/** The server's tools as capabilities, those of `names` (or ids) or all. Ids do not depend on the choice. */
export async function capabilitiesOf(
  { tools: listed, cutOff }: Listing,
  names: readonly string[],
): Promise<Taken> {
  const notes = gatherNotes();
  const tools = namedTools(listed);
  if (tools.length < listed.length && names.length === 0) {
    notes.add(
      "Left out, as they have no name of their own",
      `${listed.length - tools.length} tools`,
    );
  }
  const ids = identifiers(
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
      notes.add(`Left out, as ${read.failure}`, shown(tool.name));
      continue;
    }
    room -= read.value.bytes;
    capabilities.push({ id, ...read.value.rest });
  }
  const first =
    cutOff === null ? [] : [`Only the first ${listed.length} tools were read: ${cutOff}.`];
  return {
    capabilities,
    notes: [...first, ...notes.sentences()],
    unknownNames: [...wanted],
    offered: tools.map(({ name }) => name),
  };
}

function namedTools(listed: readonly unknown[]): Tool[] {
  const tools = new Map<string, Tool>();
  for (const one of listed) {
    const read = TOOL.safeParse(one);
    if (read.success && !tools.has(read.data.name)) tools.set(read.data.name, read.data);
  }
  return [...tools.values()];
}

interface ReadTool {
  readonly rest: Omit<DraftCapability, "id">;
  readonly bytes: number;
}

async function readTool(tool: Tool, room: number): Promise<Result<ReadTool, string>> {
  if (tool.execution?.taskSupport === "required") {
    return fail("they run as tasks only, which calls here do not");
  }
  const read = await parametersOf(tool.inputSchema);
  if (!read.ok) return read;
  const { parameters, bytes } = read.value;
  if (bytes > room)
    return fail("the parameters of the tools before them take all the room there is");
  // The order in which MCP itself looks for a tool's display name.
  const names = [tool.title, tool.annotations?.title, tool.name];
  const name = names.map((one) => cut(one ?? "", NAME_CHARACTERS_MAX)).find((one) => one !== "");
  const description = cut(tool.description ?? "", DESCRIPTION_CHARACTERS_MAX);
  const operation = { type: "mcp", tool: tool.name } as const;
  return ok({ rest: { name: name ?? "tool", description, parameters, operation }, bytes });
}
