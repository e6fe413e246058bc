import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download, KeyRound } from "lucide-react";
import { curlFor } from "../api/curl.ts";
import { useShortcuts } from "../layout/shortcuts.ts";
import { useHasScope } from "../session/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { CATEGORIES, type ToolFilters } from "./filters.ts";
import { toolPagesQuery, type ListedTool } from "./queries.ts";
import { SearchField } from "./search-field.tsx";
import { capitalize, count } from "./words.ts";

/** The catalogue of tools. */
export function ToolsView() {
  const filters = useSearch({ from: "/shell/tools" });
  const navigate = useNavigate({ from: "/tools" });
  const mayManage = useHasScope("tools:manage");
  useShortcuts(
    mayManage
      ? [{ keys: "n", label: "Import a tool", run: () => void navigate({ to: "/tools/import" }) }]
      : [],
  );

  function change(next: ToolFilters): void {
    void navigate({ search: next, replace: true });
  }

  return (
    <>
      <ViewHeader title="Tools">
        {mayManage && (
          <Link to="/tools/import" className={buttonClass("primary")}>
            <Download aria-hidden className="size-4" />
            Import a tool
          </Link>
        )}
      </ViewHeader>
      <search className="mb-4 grid gap-3 sm:grid-cols-[1fr_14rem]">
        <SearchField
          label="Search"
          placeholder="Name or description"
          value={filters.search ?? ""}
          onChange={(text) =>
            change({
              ...(text !== "" && { search: text }),
              ...(filters.category && { category: filters.category }),
            })
          }
        />
        <SelectField
          label="Category"
          value={filters.category ?? ""}
          onChange={({ target }) => {
            const category = CATEGORIES.find((one) => one === target.value);
            change({
              ...(filters.search && { search: filters.search }),
              ...(category && { category }),
            });
          }}
        >
          <option value="">All categories</option>
          {CATEGORIES.map((category) => (
            <option key={category} value={category}>
              {capitalize(category)}
            </option>
          ))}
        </SelectField>
      </search>
      <Catalogue filters={filters} />
    </>
  );
}

function Catalogue({ filters }: { readonly filters: ToolFilters }) {
  const tools = useInfiniteQuery(toolPagesQuery(filters));
  if (tools.isPending) return <Loading what="the tools" />;
  if (tools.data === undefined)
    return <ErrorPanel error={tools.error} retry={() => void tools.refetch()} />;
  const shown = tools.data.pages.flatMap((page) => page.tools);
  const [first] = tools.data.pages;
  if (shown.length === 0) {
    return filters.search === undefined && filters.category === undefined ? (
      <EmptyState
        title="No tools yet"
        command={curlFor("POST", "/agents/tools/import", {
          id: "my-api",
          openapi: { url: "https://api.example.com/openapi.json" },
        })}
      >
        Import an API or an MCP server.
      </EmptyState>
    ) : (
      <EmptyState title="No tools match the filters">
        <Link to="/tools" className="text-accent underline">
          Show all tools
        </Link>
      </EmptyState>
    );
  }
  return (
    <>
      <p role="status" className="text-muted mb-2 text-sm">
        {first?.totalExact === false && "More than "}
        {count(first?.total ?? shown.length, "tool")}
      </p>
      {tools.isError && !tools.isFetchNextPageError && (
        <ErrorPanel error={tools.error} retry={() => void tools.refetch()} />
      )}
      <VirtualList
        label="Tools"
        items={shown}
        keyOf={({ id }) => id}
        estimatedHeight={ROW_HEIGHT}
        pages={tools}
      >
        {(tool) => <ToolRow tool={tool} />}
      </VirtualList>
    </>
  );
}

const ROW_HEIGHT = 96;

function ToolRow({ tool }: { readonly tool: ListedTool }) {
  return (
    <article className="hover:bg-sunken/60 relative min-w-0 p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="min-w-0 font-semibold break-words">
          <Link
            to="/tools/$toolId"
            params={{ toolId: tool.id }}
            className="after:absolute after:inset-0"
          >
            <bdi>{tool.name}</bdi>
          </Link>
        </h2>
        <code className="text-muted min-w-0 truncate text-sm" title={tool.id}>
          {tool.id}
        </code>
        <div className="ml-auto flex flex-wrap gap-1.5">
          <Badge tone="accent">{capitalize(tool.category)}</Badge>
          {tool.authentication !== "none" && (
            <Badge icon={<KeyRound aria-hidden />}>
              {tool.authentication === "oauth" ? "OAuth" : "API key"}
            </Badge>
          )}
        </div>
      </div>
      {tool.description !== "" && (
        <p className="text-muted mt-1 line-clamp-2 break-words">
          <bdi>{tool.description}</bdi>
        </p>
      )}
      <p className="text-muted mt-1 text-sm">
        {count(tool.capabilities.length, "capability", "capabilities")} ·{" "}
        {count(tool.agents.length, "agent")} with access
      </p>
    </article>
  );
}
