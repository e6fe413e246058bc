import type { CredentialPlace } from "../../../domain/connector.ts";
import {
  IMPORT_BYTES_MAX,
  IMPORT_TIMEOUT_MS,
  MCP_PAGES_MAX,
  MCP_REQUESTS_MAX,
  TOOL_TIMEOUT_DEFAULT_MS,
} from "../../../domain/limits.ts";
import { shown } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { Egress } from "../../../egress/contract.ts";
import type { CallFault } from "../../connectors/contract.ts";
import { serverOf } from "../../connectors/mcp/server.ts";
import { inSession } from "../../connectors/mcp/session.ts";
import type { ToolDraft } from "../draft.ts";
import type { McpSource } from "../mcp.ts";
import { aboutOf } from "./about.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { list } from "./listing.ts";

const BOUNDS = {
  timeoutMs: IMPORT_TIMEOUT_MS,
  bytesMax: IMPORT_BYTES_MAX,
  requestsMax: MCP_PAGES_MAX + MCP_REQUESTS_MAX,
};

/** Lists the server's tools and makes a draft of those that are selected and can be taken over. */
export async function readServer(
  egress: Egress,
  source: McpSource,
): Promise<Result<ToolDraft, CallFault>> {
  const { selection, authorisation, url, headers } = source;
  const { tags = [], names = [] } = selection;
  if (tags.length > 0) {
    const message = "must be left out: MCP knows no tags; choose tools by their names";
    return fail({ kind: "parameters", problems: [{ path: "tags", message }] });
  }
  const server = serverOf(source);
  if (!server.ok) return server;
  const listing = await inSession(egress, server.value, BOUNDS, (client, terms) =>
    list(client, terms, source.onProgress),
  );
  if (!listing.ok) return fail(withAdvice(listing.failure));
  const taken = await capabilitiesOf(listing.value, names);
  const { capabilities, unknownNames, offered } = taken;
  const isWrong = unknownNames.length > 0 && (!source.isRemembered || capabilities.length === 0);
  if (isWrong) return fail(strangers(unknownNames, offered));
  const gone = unknownNames.map((name) => shown(name)).join(", ");
  const notes = [
    ...(gone === "" ? [] : [`Was selected, and is no longer there: ${gone}.`]),
    ...taken.notes,
  ];
  if (capabilities.length === 0) {
    const reason = ["The server offers no tools that can be taken over.", ...notes].join(" ");
    return fail({ kind: "rejected", reason, details: {} });
  }
  const credential = authorisation === null ? null : placeOf(authorisation);
  return ok({
    ...aboutOf(listing.value, server.value.url),
    authentication: { type: authorisation === null ? "none" : "api-key", scopes: [] },
    connector: { type: "mcp", url, headers, timeoutMs: TOOL_TIMEOUT_DEFAULT_MS, credential },
    capabilities,
    notes,
  });
}

function withAdvice(fault: CallFault): CallFault {
  if (fault.kind !== "unauthorised") return fault;
  return { kind: "unauthorised", reason: `${fault.reason} Give a credential and import again.` };
}

const NAMES_SHOWN_MAX = 10;

function strangers(unknown: readonly string[], offered: readonly string[]): CallFault {
  const some = offered.slice(0, NAMES_SHOWN_MAX).map((name) => shown(name));
  const more = offered.length > some.length ? ` and ${offered.length - some.length} more` : "";
  const names = some.length === 0 ? "none" : some.join(", ");
  const problems = unknown.map((name) => ({
    path: "names",
    message: `${shown(name)} is not a tool of the server; it has ${names}${more}`,
  }));
  return { kind: "parameters", problems };
}

/** Where the credential stood in the import is where calls put it; its scheme belongs to the place. */
function placeOf(authorisation: NonNullable<McpSource["authorisation"]>): CredentialPlace {
  const { in: place, name, value } = authorisation;
  const scheme = place === "header" ? (/^[A-Za-z][\w-]* (?=\S)/.exec(value)?.[0] ?? "") : "";
  return { in: place, name, prefix: scheme };
}
