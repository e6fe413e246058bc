import type { Schemas } from "../api/client.ts";
import { splitList } from "./credential-input.ts";
import type { ToolCategory } from "./filters.ts";
import type { Tool } from "./queries.ts";

type UpdateToolBody = Schemas["UpdateToolBody"];
type ConnectorChanges = NonNullable<UpdateToolBody["connector"]>;
type AuthenticationType = Tool["authentication"]["type"];
type Period = Tool["rateLimit"]["period"];

export const AUTHENTICATION_TYPES = [
  "none",
  "api-key",
  "oauth",
] as const satisfies readonly AuthenticationType[];
export const PERIODS = ["second", "minute", "hour", "day"] as const satisfies readonly Period[];

/** What is typed into the settings of a tool. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  readonly documentation: string;
  readonly category: ToolCategory;
  readonly authenticationType: AuthenticationType;
  readonly scopes: string;
  readonly requests: string;
  readonly period: Period;
  readonly free: string;
  readonly overage: string;
  readonly address: string;
  readonly timeoutMs: string;
  /** One header per line: `Name: value`. */
  readonly headers: string;
  readonly credentialIn: "" | "header" | "query";
  readonly credentialName: string;
  readonly credentialPrefix: string;
}

export function draftOf(tool: Tool): ToolDraft {
  const { connector, authentication, rateLimit, pricing } = tool;
  const isComplete = "timeoutMs" in connector;
  const credential = isComplete ? connector.credential : null;
  return {
    name: tool.name,
    description: tool.description,
    documentation: tool.documentation,
    category: tool.category,
    authenticationType: authentication.type,
    scopes: authentication.scopes.join(" "),
    requests: String(rateLimit.requests),
    period: rateLimit.period,
    free: String(pricing.free),
    overage: String(pricing.overage),
    address: addressOf(connector),
    timeoutMs: isComplete ? String(connector.timeoutMs) : "",
    headers: isComplete ? formatHeaders(connector.headers) : "",
    credentialIn: credential?.in ?? "",
    credentialName: credential?.name ?? "",
    credentialPrefix: credential?.prefix ?? "",
  };
}

function addressOf(connector: Tool["connector"]): string {
  if ("baseUrl" in connector) return connector.baseUrl;
  return "url" in connector ? connector.url : "";
}

/** Whether requests would go to another origin. The tool then loses its credentials. */
export function changesOrigin(tool: Tool, draft: ToolDraft): boolean {
  const before = originOf(addressOf(tool.connector));
  const after = originOf(draft.address);
  return before !== null && after !== null && before !== after;
}

function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}

/** The request that changes what differs from the tool, and nothing else. */
export function toolChangesOf(tool: Tool, draft: ToolDraft): UpdateToolBody {
  const before = draftOf(tool);
  function differs(...names: readonly (keyof ToolDraft)[]): boolean {
    return names.some((name) => draft[name] !== before[name]);
  }
  const connector = connectorChanges(tool, draft, differs);
  return {
    ...(differs("name") && { name: draft.name }),
    ...(differs("description") && { description: draft.description }),
    ...(differs("documentation") && { documentation: draft.documentation }),
    ...(differs("category") && { category: draft.category }),
    ...(differs("authenticationType", "scopes") && {
      authentication: {
        type: draft.authenticationType,
        scopes: draft.authenticationType === "oauth" ? [...splitList(draft.scopes)] : [],
      },
    }),
    ...(differs("requests", "period") && {
      rateLimit: { requests: Number(draft.requests), period: draft.period },
    }),
    ...(differs("free", "overage") && {
      pricing: { free: Number(draft.free), overage: Number(draft.overage) },
    }),
    ...(Object.keys(connector).length > 0 && { connector }),
  };
}

function connectorChanges(
  tool: Tool,
  draft: ToolDraft,
  differs: (...names: readonly (keyof ToolDraft)[]) => boolean,
): ConnectorChanges {
  const { credentialIn, credentialName: name, credentialPrefix: prefix } = draft;
  return {
    ...(differs("address") &&
      (tool.connector.type === "mcp" ? { url: draft.address } : { baseUrl: draft.address })),
    ...(differs("timeoutMs") && { timeoutMs: Number(draft.timeoutMs) }),
    ...(differs("headers") && { headers: parseHeaders(draft.headers) }),
    ...(differs("credentialIn", "credentialName", "credentialPrefix") && {
      credential: credentialIn === "" ? null : { in: credentialIn, name, prefix },
    }),
  };
}

export function formatHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Reads one header per line. A line without a colon is a name without a value, which the API rejects with its name. */
export function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const colon = line.indexOf(":");
        return colon === -1
          ? [line.trim(), ""]
          : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );
}
