/** What the view of access shows, as the URL states it. */
export interface AccessState {
  /** The text that the names of the shown agents contain. */
  readonly agents?: string;
  /** The text that the names of the shown tools contain. */
  readonly tools?: string;
  /** The agent and the tool of the grant that is open, or of the question. */
  readonly agentId?: string;
  readonly toolId?: string;
  readonly capability?: string;
  /** `why`: the question of why an agent may or may not make a call. */
  readonly view?: "why";
}

const TEXT_MAX = 200;

/** Reads the state of a URL. Parameters that are unknown or invalid are ignored. */
export function readAccessState(search: Record<string, unknown>): AccessState {
  const agents = readText(search["agents"]);
  const tools = readText(search["tools"]);
  const agentId = readText(search["agentId"]);
  const toolId = readText(search["toolId"]);
  const capability = readText(search["capability"]);
  return {
    ...(agents && { agents }),
    ...(tools && { tools }),
    ...(agentId && { agentId }),
    ...(toolId && { toolId }),
    ...(capability && { capability }),
    ...(search["view"] === "why" && { view: "why" }),
  };
}

/** A URL parameter that looks like a number arrives as one. */
function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text.slice(0, TEXT_MAX) : undefined;
}
