import type { Selection } from "../../domain/tool.ts";
import type { Authorisation } from "../../domain/connector.ts";
import type { Result } from "../../domain/result.ts";
import type { Egress } from "../../egress/contract.ts";
import type { CallFault } from "../connectors/contract.ts";
import type { OnProgress, ToolDraft } from "./draft.ts";

export interface McpSource {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where the server lists its tools to everybody. */
  readonly authorisation: Authorisation | null;
  /** By names alone: MCP knows no tags. */
  readonly selection: Selection;
  /** Whether the selection is that of an earlier import, of which some may be gone by now. */
  readonly isRemembered?: boolean | undefined;
  readonly onProgress: OnProgress;
}

/** The tool that a remote MCP server makes, its tools as capabilities. The SDK is loaded with the first call. */
export async function readMcp(
  egress: Egress,
  source: McpSource,
): Promise<Result<ToolDraft, CallFault>> {
  const { readServer } = await import("./mcp/read.ts");
  return readServer(egress, source);
}
