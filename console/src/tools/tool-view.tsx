import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { useHasScope } from "../session/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { BreakerState } from "./breaker-state.tsx";
import { CapabilitiesPanel } from "./capabilities-panel.tsx";
import { CredentialsPanel } from "./credentials-panel.tsx";
import type { ToolTab } from "./filters.ts";
import { toolQuery, type Tool } from "./queries.ts";
import { SettingsPanel } from "./settings-panel.tsx";
import { TryPanel } from "./try-panel.tsx";
import { UsagePanel } from "./usage-panel.tsx";
import { capitalize, count, formatCost } from "./words.ts";

const TAB_LABELS: Readonly<Record<ToolTab, string>> = {
  capabilities: "Capabilities",
  try: "Try it",
  usage: "Usage",
  credentials: "Credentials",
  settings: "Settings",
};

const CONNECTOR_LABELS = { builtin: "Built-in", http: "HTTP API", mcp: "MCP server" } as const;

/** The page of one tool. */
export function ToolView() {
  const { toolId } = useParams({ from: "/shell/tools/$toolId" });
  const found = useQuery(toolQuery(toolId));
  if (found.data !== undefined) {
    return <ToolPage key={toolId} tool={found.data.tool} etag={found.data.etag} />;
  }
  return (
    <>
      <ViewHeader title="Tool" />
      {found.isPending ? (
        <Loading what="the tool" />
      ) : (
        <ErrorPanel error={found.error} retry={() => void found.refetch()} />
      )}
    </>
  );
}

function ToolPage({ tool, etag }: { readonly tool: Tool; readonly etag: string | null }) {
  const { tab = "capabilities" } = useSearch({ from: "/shell/tools/$toolId" });
  const mayManage = useHasScope("tools:manage");
  const mayInvoke = useHasScope("tools:invoke");
  const isBuiltin = tool.connector.type === "builtin";
  const tabs: readonly ToolTab[] = [
    "capabilities",
    ...(mayInvoke ? (["try"] as const) : []),
    "usage",
    ...(mayManage && !isBuiltin ? (["credentials", "settings"] as const) : []),
  ];
  const shown = tabs.includes(tab) ? tab : "capabilities";
  return (
    <>
      <ViewHeader title={tool.name}>
        <Badge tone="accent">{capitalize(tool.category)}</Badge>
        <Badge>{CONNECTOR_LABELS[tool.connector.type]}</Badge>
        <Badge>Version {tool.version}</Badge>
      </ViewHeader>
      <ToolSummary tool={tool} />
      <BreakerState toolId={tool.id} />
      <nav aria-label="Sections of the tool" className="border-border mb-4 flex flex-wrap border-b">
        {tabs.map((one) => (
          <Link
            key={one}
            to="/tools/$toolId"
            params={{ toolId: tool.id }}
            search={one === "capabilities" ? {} : { tab: one }}
            activeOptions={{ exact: true }}
            aria-current={shown === one ? "page" : undefined}
            className="text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-accent border-b-2 border-transparent px-3 py-2 font-medium"
          >
            {TAB_LABELS[one]}
          </Link>
        ))}
      </nav>
      {shown === "capabilities" && <CapabilitiesPanel tool={tool} mayInvoke={mayInvoke} />}
      {shown === "try" && <TryPanel tool={tool} />}
      {shown === "usage" && <UsagePanel toolId={tool.id} />}
      {shown === "credentials" && <CredentialsPanel tool={tool} />}
      {shown === "settings" && <SettingsPanel tool={tool} etag={etag} />}
    </>
  );
}

function ToolSummary({ tool }: { readonly tool: Tool }) {
  const { rateLimit, pricing, agents } = tool;
  return (
    <div className="mb-4 grid gap-2">
      {tool.description !== "" && (
        <p className="max-w-prose break-words whitespace-pre-line">
          <bdi>{tool.description}</bdi>
        </p>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Fact term="Id">
          <code className="break-all">{tool.id}</code>
        </Fact>
        <Fact term="Address">{addressOf(tool)}</Fact>
        <Fact term="Rate limit">
          {count(rateLimit.requests, "call")} per {rateLimit.period}
        </Fact>
        <Fact term="Price">
          {pricing.overage === 0
            ? "Free"
            : `${formatCost(pricing.overage)} per call after ${count(pricing.free, "free call")} a month`}
        </Fact>
        <Fact term="Access">
          <Link to="/access" className="text-accent underline">
            {count(agents.length, "agent")}
          </Link>
        </Fact>
        {isWebAddress(tool.documentation) && (
          <Fact term="Documentation">
            <a
              href={tool.documentation}
              target="_blank"
              rel="noreferrer"
              className="text-accent break-all underline"
            >
              {new URL(tool.documentation).host}
              <ExternalLink aria-label="(opens in a new tab)" className="ml-1 inline size-3.5" />
            </a>
          </Fact>
        )}
      </dl>
    </div>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function addressOf({ connector }: Tool) {
  if ("baseUrl" in connector) return <code className="break-all">{connector.baseUrl}</code>;
  if ("url" in connector) return <code className="break-all">{connector.url}</code>;
  return connector.type === "builtin"
    ? "Runs inside the service"
    : "Requires the scope tools:manage";
}

/** The address of the documentation comes from the tool's author, so only web pages become links. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
