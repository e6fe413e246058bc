import type { CredentialPlace, RequestAuthorization } from "../../model/connector.ts";
import type { ImportSelection } from "../../model/tool.ts";
import {
  IMPORT_BYTES_MAX,
  IMPORT_TIMEOUT_MS,
  MCP_PAGES_MAX,
  MCP_REQUESTS_MAX,
  TOOL_TIMEOUT_DEFAULT_MS,
} from "../../limits.ts";
import { preview } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import type { Egress } from "../../../platform/egress/contract.ts";
import type { ConnectorFailure } from "../../connectors/contract.ts";
import { parseMcpEndpoint } from "../../connectors/mcp/http-client.ts";
import { runMcpSession } from "../../connectors/mcp/session.ts";
import type { OnImportProgress, ToolDraft } from "../tool-draft.ts";
import { describeMcpServer, listServerTools } from "./listing.ts";
import { toMcpCapabilities } from "./capabilities.ts";

const LISTING_LIMITS = {
  timeoutMs: IMPORT_TIMEOUT_MS,
  bytesMax: IMPORT_BYTES_MAX,
  requestsMax: MCP_PAGES_MAX + MCP_REQUESTS_MAX,
};

export interface McpImportSource {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a server that lists its tools without a credential. */
  readonly authorization: RequestAuthorization | null;
  /** By names only: MCP has no tags. */
  readonly selection: ImportSelection;
  /** Whether the selection comes from an earlier import, so that some names may no longer exist. */
  readonly isRemembered?: boolean | undefined;
  readonly onProgress: OnImportProgress;
}

/** A draft of the tool: each selected tool of the server becomes a capability. */
export async function readMcpServer(
  egress: Egress,
  source: McpImportSource,
): Promise<Result<ToolDraft, ConnectorFailure>> {
  const { selection, authorization, url, headers } = source;
  const { tags = [], names = [] } = selection;
  if (tags.length > 0) {
    const message = "must be left out: MCP knows no tags; choose tools by their names";
    return fail({ kind: "parameters", problems: [{ path: "tags", message }] });
  }
  const server = parseMcpEndpoint(source);
  if (!server.ok) return server;
  const listing = await runMcpSession(egress, server.value, LISTING_LIMITS, (client, terms) =>
    listServerTools(client, terms, source.onProgress),
  );
  if (!listing.ok) return fail(addCredentialAdvice(listing.failure));
  const taken = await toMcpCapabilities(listing.value, names);
  const { capabilities, unknownNames, offered } = taken;
  const isWrong = unknownNames.length > 0 && (!source.isRemembered || capabilities.length === 0);
  if (isWrong) return fail(createUnknownNamesFailure(unknownNames, offered));
  const gone = unknownNames.map((name) => preview(name)).join(", ");
  const notes = [
    ...(gone === "" ? [] : [`Was selected, and is no longer there: ${gone}.`]),
    ...taken.notes,
  ];
  if (capabilities.length === 0) {
    const reason = ["The server offers no tools that can be taken over.", ...notes].join(" ");
    return fail({ kind: "rejected", reason, details: {} });
  }
  const credential = authorization === null ? null : toCredentialPlace(authorization);
  return ok({
    ...describeMcpServer(listing.value, server.value.url),
    authentication: { type: authorization === null ? "none" : "api-key", scopes: [] },
    connector: { type: "mcp", url, headers, timeoutMs: TOOL_TIMEOUT_DEFAULT_MS, credential },
    capabilities,
    notes,
  });
}

function addCredentialAdvice(fault: ConnectorFailure): ConnectorFailure {
  if (fault.kind !== "unauthorized") return fault;
  return { kind: "unauthorized", reason: `${fault.reason} Give a credential and import again.` };
}

const NAMES_SHOWN_MAX = 10;

function createUnknownNamesFailure(
  unknown: readonly string[],
  offered: readonly string[],
): ConnectorFailure {
  const some = offered.slice(0, NAMES_SHOWN_MAX).map((name) => preview(name));
  const more = offered.length > some.length ? ` and ${offered.length - some.length} more` : "";
  const names = some.length === 0 ? "none" : some.join(", ");
  const problems = unknown.map((name) => ({
    path: "names",
    message: `${preview(name)} is not a tool of the server; it has ${names}${more}`,
  }));
  return { kind: "parameters", problems };
}

/** The place of the credential in the import, which calls use too. A scheme belongs to the place. */
function toCredentialPlace({ in: place, name, value }: RequestAuthorization): CredentialPlace {
  const scheme = place === "header" ? (/^[A-Za-z][\w-]* (?=\S)/.exec(value)?.[0] ?? "") : "";
  return { in: place, name, prefix: scheme };
}
