import type { Selection } from "../../domain/tool.ts";
import { TOOL_TIMEOUT_DEFAULT_MS } from "../../domain/limits.ts";
import type { Problem } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { DraftCapability, OnProgress, ToolDraft } from "./draft.ts";
import { readCapability } from "./openapi/capability.ts";
import { gatherNotes, type Notes } from "./openapi/notes.ts";
import { notePatterns } from "./openapi/patterns.ts";
import { readApi, type Api } from "./openapi/read-api.ts";
import { schemaMaker } from "./openapi/self-contained.ts";
import { isTooMuch, newWork } from "./openapi/work.ts";

export interface OpenApiOptions {
  readonly selection: Selection;
  /** Whether the selection is that of an earlier import, of which some may be gone by now. */
  readonly isRemembered?: boolean | undefined;
  /** Where the API is, instead of where the document says; null to believe the document. */
  readonly baseUrl: string | null;
  /** Where the document came from; null when it came in the request. */
  readonly sourceUrl: string | null;
  /** Awaited after every 50 operations, and at the end; each number once. */
  readonly onProgress: OnProgress;
}

const PROGRESS_EVERY = 50;
const NOTES_TOLD_MAX = 5;

/**
 * An OpenAPI 3.0, 3.1 or 3.2 document, in JSON or YAML, as a tool with a capability for each operation.
 * What the service cannot do is left out with a note; what is broken fails. Nothing is fetched.
 */
export async function readOpenApi(
  text: string,
  options: OpenApiOptions,
): Promise<Result<ToolDraft, Problem[]>> {
  const notes = gatherNotes();
  const api = await readApi(text, options.selection, options, notes);
  if (!api.ok) return fail([...api.failure]);
  const { title, description, documentation, servers, security } = api.value;
  const capabilities = await readCapabilities(api.value, notes, options.onProgress);
  if (!capabilities.ok) return fail([capabilities.failure]);
  await notePatterns(capabilities.value, notes);
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
  { operations, servers, security, surface }: Api,
  notes: Notes,
  onProgress: OnProgress,
): Promise<Result<DraftCapability[], Problem>> {
  const { components } = surface;
  const capabilities: DraftCapability[] = [];
  const work = newWork();
  const schemas = schemaMaker(components, work);
  for (const [index, facts] of operations.entries()) {
    const baseUrl = servers.others.get(facts.id) ?? null;
    const isAnonymous = security.anonymous.has(facts.id);
    const surroundings = { components, schemas, work, baseUrl, isAnonymous, notes };
    const capability = readCapability(facts, surface.operations[facts.id] ?? {}, surroundings);
    if (capability.ok) capabilities.push(capability.value);
    else notes.add(`Left out, as it ${capability.failure}`, facts.id);
    if (isTooMuch(work)) {
      const message =
        "describes more parameters than one import can hold; select some operations by tags or names";
      return fail({ path: "document.paths", message });
    }
    const done = index + 1;
    const isTold = done % PROGRESS_EVERY === 0 || done === operations.length;
    if (isTold) await onProgress(done, operations.length);
  }
  if (capabilities.length > 0) return ok(capabilities);
  const reasons = notes.sentences().slice(0, NOTES_TOLD_MAX).join(" ");
  return fail({
    path: "document.paths",
    message: `holds no operation that can be called. ${reasons}`,
  });
}
