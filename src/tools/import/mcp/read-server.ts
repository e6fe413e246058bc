import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { sanitizeText } from "../../../kernel/text.ts";
import type { CredentialPlace, RequestAuthorization } from "../../model/connector.ts";
import type { ImportSelection } from "../../model/tool.ts";
import {
  CAPABILITIES_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_TIMEOUT_MS,
  MCP_PAGES_MAX,
  MCP_REQUESTS_MAX,
  TOOL_TIMEOUT_DEFAULT_MS,
} from "../../limits.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  URL_BYTES_MAX,
} from "../../../kernel/limits.ts";
import { preview, fail, ok, type Result } from "../../../kernel/result.ts";
import type { Egress } from "../../../platform/egress/contract.ts";
import type { ConnectorFailure } from "../../connectors/contract.ts";
import { parseMcpEndpoint } from "../../connectors/mcp/http-client.ts";
import { type McpRequestOptions, runMcpSession } from "../../connectors/mcp/session.ts";
import { listOfferedNames, type OnImportProgress, type ToolDraft } from "../tool-draft.ts";
import { type McpListing, toMcpCapabilities } from "./capabilities.ts";

const LISTING_LIMITS = {
  timeoutMs: IMPORT_TIMEOUT_MS,
  bytesMax: IMPORT_BYTES_MAX,
  requestsMax: MCP_PAGES_MAX + MCP_REQUESTS_MAX,
};

export interface McpImportSource {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if no credential is sent. */
  readonly authorization: RequestAuthorization | null;
  /** By name only, because MCP has no tags. */
  readonly selection: ImportSelection;
  /** Whether the selection comes from an earlier import, in which case some names may no longer exist. */
  readonly isRemembered?: boolean | undefined;
  readonly onProgress: OnImportProgress;
}

/** Drafts a tool with one capability per selected tool of the server. */
export async function readMcpServer(
  egress: Egress,
  source: McpImportSource,
): Promise<Result<ToolDraft, ConnectorFailure>> {
  const { selection, authorization, url, headers } = source;
  const { tags = [], names = [] } = selection;
  if (tags.length > 0) {
    const message = "must be omitted, because MCP has no tags; select tools by name";
    return fail({ kind: "parameters", problems: [{ path: "tags", message }] });
  }
  const server = parseMcpEndpoint(source);
  if (!server.ok) return server;
  const listing = await runMcpSession(egress, server.value, LISTING_LIMITS, (client, terms) =>
    listServerTools(client, terms, source.onProgress),
  );
  if (!listing.ok) {
    const { failure } = listing;
    if (failure.kind !== "unauthorized") return listing;
    const reason = `${failure.reason} Add a credential and import again.`;
    return fail({ kind: "unauthorized", reason });
  }
  const taken = await toMcpCapabilities(listing.value, names);
  const { capabilities, unknownNames, offered } = taken;
  const isWrong = unknownNames.length > 0 && (!source.isRemembered || capabilities.length === 0);
  if (isWrong) return fail(createUnknownNamesFailure(unknownNames, offered));
  const gone = unknownNames.map((name) => preview(name)).join(", ");
  const notes = [
    ...(gone === "" ? [] : [`Selected but no longer in the source: ${gone}.`]),
    ...taken.notes,
  ];
  if (capabilities.length === 0) {
    const reason = ["The server has no tools that can be imported.", ...notes].join(" ");
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

function createUnknownNamesFailure(
  unknown: readonly string[],
  offered: readonly string[],
): ConnectorFailure {
  const names = listOfferedNames(offered);
  const problems = unknown.map((name) => ({
    path: "names",
    message: `${preview(name)} is not one of the server's tools: ${names}`,
  }));
  return { kind: "parameters", problems };
}

/** Where the import sent the credential. Calls use the same place. A scheme such as `Bearer ` becomes the prefix. */
function toCredentialPlace({ in: place, name, value }: RequestAuthorization): CredentialPlace {
  const scheme = place === "header" ? (/^[A-Za-z][\w-]* (?=\S)/.exec(value)?.[0] ?? "") : "";
  return { in: place, name, prefix: scheme };
}

/** Looser than the SDK's schema, which rejects the whole list if one tool is invalid. */
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Reads pages until the list ends, repeats a cursor or becomes too long. */
async function listServerTools(
  client: Client,
  terms: McpRequestOptions,
  onProgress: OnImportProgress,
): Promise<McpListing> {
  const server = client.getServerVersion();
  const tools: unknown[] = [];
  const toListing = (cutOff: string | null): McpListing => ({
    name: server?.name ?? "",
    title: server?.title ?? "",
    instructions: client.getInstructions() ?? "",
    websiteUrl: server?.websiteUrl ?? "",
    tools,
    cutOff,
  });
  if (client.getServerCapabilities()?.tools === undefined) return toListing(null);
  const cursors = new Set<string>();
  let cursor: string | null = null;
  for (let page = 1; ; page += 1) {
    const params: { cursor?: string } = cursor === null ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, PAGE, terms);
    const room = CAPABILITIES_MAX - tools.length;
    tools.push(...answer.tools.slice(0, room));
    // The total is known only after the last page.
    await onProgress(tools.length, tools.length);
    cursor = answer.nextCursor ?? null;
    if (answer.tools.length > room || (cursor !== null && tools.length === CAPABILITIES_MAX)) {
      return toListing(`a tool can have at most ${CAPABILITIES_MAX} capabilities`);
    }
    if (cursor === null) return toListing(null);
    if (cursors.has(cursor)) return toListing("the server returned the same cursor twice");
    if (page === MCP_PAGES_MAX) return toListing(`the list has more than ${MCP_PAGES_MAX} pages`);
    cursors.add(cursor);
  }
}

/** The server's name, description and documentation. A server without a name is named after its host. */
function describeMcpServer(
  listing: McpListing,
  url: URL,
): Pick<ToolDraft, "name" | "description" | "documentation"> {
  const names = [listing.title, listing.name, url.host].map((name) =>
    sanitizeText(name, NAME_CHARACTERS_MAX),
  );
  const name = names.find((one) => one !== "") ?? url.host;
  const description = sanitizeText(listing.instructions, DESCRIPTION_CHARACTERS_MAX);
  return {
    name,
    description: description === "" ? `Tools provided by the MCP server ${name}.` : description,
    documentation: toLink(listing.websiteUrl),
  };
}

function toLink(text: string): string {
  const url = URL.parse(text);
  const isLink = url?.protocol === "https:" || url?.protocol === "http:";
  return isLink && url.href.length <= URL_BYTES_MAX ? url.href : "";
}
