import type { Key, Viewer } from "../../domain/key.ts";

/** Who speaks through one request, and what it is carried out with. */
export interface Caller {
  readonly env: Env;
  readonly key: Key;
  /** Where the service was reached: what links begin with. */
  readonly origin: string;
  readonly requestId: string;
  /** The agent that uses tools: null for nobody in particular, which no grant restricts. */
  readonly agentId: string | null;
  /** The task whose budget pays for calls of capabilities. */
  readonly taskId: string | null;
  /** Lets a promise come to its end although the client has hung up. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/** Whether the key may use capabilities here. One of a team may when the URL names the agent it acts as. */
export function mayUseCapabilities({ key, agentId }: Caller): boolean {
  return key.scopes.includes("tools:invoke") && (key.teamId === null || agentId !== null);
}

/** Whose eyes the key stands for. */
export function viewerOf({ key: { agentId, teamId } }: Caller): Viewer {
  return { agentId, teamId };
}
