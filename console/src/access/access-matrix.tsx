import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Ban, CircleCheck, CircleDot, LoaderCircle, TriangleAlert } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { curlFor } from "../api/curl.ts";
import { toolPagesQuery, type ListedTool } from "../tools/queries.ts";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { AccessDialog } from "./access-dialog.tsx";
import { accessLevelOf, type AccessLevel } from "./access-level.ts";
import {
  AGENTS_PAGE_SIZE,
  agentPagesQuery,
  grantsQuery,
  type Agent,
  type GrantedTools,
} from "./queries.ts";

interface OpenedCell {
  readonly agentId: string;
  readonly toolId: string;
}

/** A table of agents and tools. A click on a cell opens its grant. Only the rows in view are rendered. */
export function AccessMatrix({
  agentSearch,
  toolSearch,
  opened,
  onOpen,
}: {
  readonly agentSearch: string;
  readonly toolSearch: string;
  readonly opened: OpenedCell | null;
  readonly onOpen: (cell: OpenedCell | null) => void;
}) {
  const agentPages = useInfiniteQuery(agentPagesQuery(agentSearch));
  const toolPages = useInfiniteQuery(
    toolPagesQuery(toolSearch === "" ? {} : { search: toolSearch }),
  );
  const failed = [agentPages, toolPages].find(({ data, isError }) => data === undefined && isError);
  if (failed?.error) return <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />;
  if (agentPages.data === undefined || toolPages.data === undefined)
    return <Loading what="agents and tools" />;
  const agents = agentPages.data.pages.flatMap((page) => page.agents);
  const tools = toolPages.data.pages.flatMap((page) => page.tools);
  if (agents.length === 0) return <NoAgents isFiltered={agentSearch !== ""} />;
  if (tools.length === 0) return <NoTools isFiltered={toolSearch !== ""} />;
  return (
    <>
      <p className="text-muted text-sm">
        Choose a cell to see or change what the agent may use. Changes take effect with the next
        request.
      </p>
      <MatrixTable
        agents={agents}
        tools={tools}
        onOpen={onOpen}
        hasMore={
          agentPages.hasNextPage &&
          !agentPages.isFetchingNextPage &&
          !agentPages.isFetchNextPageError
        }
        onEnd={() => void agentPages.fetchNextPage()}
      />
      {agentPages.error && agentPages.isFetchNextPageError && (
        <ErrorPanel error={agentPages.error} retry={() => void agentPages.fetchNextPage()} />
      )}
      {toolPages.hasNextPage && (
        <Button disabled={toolPages.isFetching} onClick={() => void toolPages.fetchNextPage()}>
          Show more tools
        </Button>
      )}
      {opened !== null && (
        <AccessDialog
          key={`${opened.agentId} ${opened.toolId}`}
          agentId={opened.agentId}
          agentName={agents.find(({ id }) => id === opened.agentId)?.name ?? opened.agentId}
          toolId={opened.toolId}
          onClose={() => onOpen(null)}
        />
      )}
    </>
  );
}

const REGISTER_COMMAND = curlFor("POST", "/agents", {
  id: "my-agent",
  executor: { type: "worker" },
});
const IMPORT_COMMAND = curlFor("POST", "/agents/tools/import", {
  id: "my-api",
  openapi: { url: "https://api.example.com/openapi.json" },
});

function NoAgents({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No agents match the filters" />;
  return <EmptyState title="No agents yet" command={REGISTER_COMMAND} />;
}

function NoTools({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No tools match the filters" />;
  return <EmptyState title="No tools yet" command={IMPORT_COMMAND} />;
}

const ROW_HEIGHT = 49;

function MatrixTable({
  agents,
  tools,
  onOpen,
  hasMore,
  onEnd,
}: {
  readonly agents: readonly Agent[];
  readonly tools: readonly ListedTool[];
  readonly onOpen: (cell: OpenedCell) => void;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: agents.length,
    getScrollElement: () => ref.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
  });
  const rows = virtualizer.getVirtualItems();
  const isEndInView = (rows.at(-1)?.index ?? -1) >= agents.length - 1;
  const loadMore = useEffectEvent(() => {
    if (hasMore) onEnd();
  });
  useEffect(() => {
    if (isEndInView) loadMore();
  }, [isEndInView, agents.length]);
  const before = rows[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0);
  return (
    <div
      ref={ref}
      role="region"
      aria-label="Access of agents to tools"
      tabIndex={0}
      className="border-border bg-surface max-h-[70dvh] overflow-auto rounded-lg border"
    >
      <table aria-rowcount={agents.length + 1} className="border-separate border-spacing-0">
        <thead>
          <tr aria-rowindex={1}>
            <th
              scope="col"
              className="bg-sunken border-border sticky top-0 left-0 z-3 border-r border-b px-3 py-2 text-left font-medium"
            >
              Agent
            </th>
            {tools.map(({ id, name }) => (
              <th
                key={id}
                scope="col"
                className="bg-sunken border-border sticky top-0 z-2 max-w-40 min-w-28 border-b px-2 py-2 text-left font-medium"
              >
                <Link
                  to="/tools/$toolId"
                  params={{ toolId: id }}
                  title={name}
                  className="text-accent line-clamp-2 break-words underline"
                >
                  <bdi>{name}</bdi>
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden style={{ height: before }} />}
          {rows.map(({ index }) => {
            const agent = agents[index];
            const first = index - (index % AGENTS_PAGE_SIZE);
            const group = agents.slice(first, first + AGENTS_PAGE_SIZE).map(({ id }) => id);
            return (
              agent !== undefined && (
                <AgentRow
                  key={agent.id}
                  {...{ agent, group, tools, onOpen }}
                  rowIndex={index + 2}
                />
              )
            );
          })}
          {after > 0 && <tr aria-hidden style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  );
}

function AgentRow({
  agent,
  group,
  tools,
  rowIndex,
  onOpen,
}: {
  readonly agent: Agent;
  /** The ids of the agents whose grants one request fetches, including this agent. */
  readonly group: readonly string[];
  readonly tools: readonly ListedTool[];
  readonly rowIndex: number;
  readonly onOpen: (cell: OpenedCell) => void;
}) {
  const grants = useQuery({ ...grantsQuery(group), placeholderData: keepPreviousData });
  return (
    <tr aria-rowindex={rowIndex} style={{ height: ROW_HEIGHT }}>
      <th
        scope="row"
        className="bg-surface border-border sticky left-0 z-1 max-w-32 min-w-32 border-r border-b px-3 py-1 text-left font-normal sm:max-w-56 sm:min-w-48"
      >
        <Link
          to="/agents/$agentId"
          params={{ agentId: agent.id }}
          title={agent.name}
          className="text-accent block truncate underline"
        >
          <bdi>{agent.name}</bdi>
        </Link>
        {!agent.enabled && <span className="text-muted text-xs">Disabled</span>}
      </th>
      {tools.map((tool) => (
        <td key={tool.id} className="border-border border-b p-1">
          <AccessCell
            tool={tool}
            agent={agent}
            access={grants.data?.get(agent.id)}
            isFailed={grants.isError}
            onOpen={() => onOpen({ agentId: agent.id, toolId: tool.id })}
          />
        </td>
      ))}
    </tr>
  );
}

const LOOKS = {
  none: { icon: Ban, look: "text-muted" },
  some: { icon: CircleDot, look: "text-warning bg-warning-soft" },
  all: { icon: CircleCheck, look: "text-success bg-success-soft" },
} as const;

function labelOf(access: AccessLevel): string {
  if (access.level === "some") return `${access.granted} of ${access.total}`;
  return access.level === "all" ? "All" : "None";
}

function AccessCell({
  tool,
  agent,
  access,
  isFailed,
  onOpen,
}: {
  readonly tool: ListedTool;
  readonly agent: Agent;
  readonly access: GrantedTools | undefined;
  readonly isFailed: boolean;
  readonly onOpen: () => void;
}) {
  if (access === undefined) {
    const Icon = isFailed ? TriangleAlert : LoaderCircle;
    const label = isFailed ? "Not available" : "Loading";
    return (
      <span className="text-muted flex h-8 items-center px-2">
        <Icon aria-label={label} className={classNames("size-4", !isFailed && "animate-spin")} />
      </span>
    );
  }
  const level = accessLevelOf(access.get(tool.id), tool.capabilities);
  const { icon: Icon, look } = LOOKS[level.level];
  return (
    <button
      type="button"
      onClick={onOpen}
      aria-label={`${agent.name}, ${tool.name}: ${labelOf(level)}`}
      className={classNames(
        "hover:border-border-strong flex h-8 w-full items-center gap-1.5 rounded-md border border-transparent px-2 whitespace-nowrap",
        look,
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {labelOf(level)}
    </button>
  );
}
