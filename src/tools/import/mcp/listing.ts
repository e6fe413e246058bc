import { CAPABILITIES_MAX, MCP_PAGES_MAX } from "../../limits.ts";
import {
  DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  URL_BYTES_MAX,
} from "../../../kernel/limits.ts";
import { sanitizeText } from "../../../kernel/text.ts";
import type { OnImportProgress, ToolDraft } from "../tool-draft.ts";
import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { McpRequestOptions } from "../../connectors/mcp/session.ts";

/** The description of a server and its unvalidated tools. */
export interface McpListing {
  readonly name: string;
  readonly title: string;
  readonly instructions: string;
  readonly websiteUrl: string;
  readonly tools: readonly unknown[];
  /** Why the list may be incomplete; null if it is complete. */
  readonly cutOff: string | null;
}

/** Looser than the schema of the SDK, in which one invalid tool fails the whole list. */
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Reads all pages, until the list ends, repeats a cursor or is too long. */
export async function listServerTools(
  client: Client,
  terms: McpRequestOptions,
  onProgress: OnImportProgress,
): Promise<McpListing> {
  const server = client.getServerVersion();
  const about = {
    name: server?.name ?? "",
    title: server?.title ?? "",
    instructions: client.getInstructions() ?? "",
    websiteUrl: server?.websiteUrl ?? "",
  };
  const tools: unknown[] = [];
  if (client.getServerCapabilities()?.tools === undefined) return { ...about, tools, cutOff: null };
  const cursors = new Set<string>();
  let cursor: string | null = null;
  for (let page = 1; ; page += 1) {
    const params: { cursor?: string } = cursor === null ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, PAGE, terms);
    const room = CAPABILITIES_MAX - tools.length;
    tools.push(...answer.tools.slice(0, room));
    // The total is known only with the last page.
    await onProgress(tools.length, tools.length);
    cursor = answer.nextCursor ?? null;
    if (answer.tools.length > room || (cursor !== null && tools.length === CAPABILITIES_MAX)) {
      return { ...about, tools, cutOff: `a tool can have ${CAPABILITIES_MAX} capabilities` };
    }
    if (cursor === null) return { ...about, tools, cutOff: null };
    if (cursors.has(cursor)) {
      return { ...about, tools, cutOff: "the server gives the same cursor again" };
    }
    if (page === MCP_PAGES_MAX) {
      return { ...about, tools, cutOff: `the list has more than ${MCP_PAGES_MAX} pages` };
    }
    cursors.add(cursor);
  }
}

/** Name, description and documentation of the server; its host if it has no name. */
export function describeMcpServer(
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
    description: description === "" ? `The tools of the MCP server ${name}.` : description,
    documentation: toLink(listing.websiteUrl),
  };
}

function toLink(text: string): string {
  const url = URL.parse(text);
  const isLink = url?.protocol === "https:" || url?.protocol === "http:";
  return isLink && url.href.length <= URL_BYTES_MAX ? url.href : "";
}
