import type { Capability } from "../../domain/capability.ts";
import type { Connector, Operation } from "../../domain/connector.ts";
import type { Authentication } from "../../domain/tool.ts";

/** One capability with what carries it out. */
export interface DraftCapability extends Capability {
  readonly operation: Operation;
}

/** A tool as a description of an API or an MCP server suggests it, before anybody has registered it. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  /** A URL, or an empty text. */
  readonly documentation: string;
  readonly authentication: Authentication;
  readonly connector: Connector;
  readonly capabilities: readonly DraftCapability[];
  /** What was left out, and why: one sentence each. */
  readonly notes: readonly string[];
}

/** Tells how far a long import is: `done` of `total` operations. */
export type OnProgress = (done: number, total: number) => Promise<void>;
