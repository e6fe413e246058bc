import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { fieldsOf } from "./parameter-form.ts";
import { capabilityPagesQuery, type Capability, type Tool } from "./queries.ts";
import { SearchField } from "./search-field.tsx";
import { count } from "./words.ts";

/** The capabilities of a tool with their parameters. Imported tools can have thousands, so they are searched by the API. */
export function CapabilitiesPanel({
  tool,
  mayInvoke,
}: {
  readonly tool: Tool;
  readonly mayInvoke: boolean;
}) {
  const { search = "" } = useSearch({ from: "/shell/tools/$toolId" });
  const navigate = useNavigate({ from: "/tools/$toolId" });
  const found = useInfiniteQuery(capabilityPagesQuery(tool.id, search));
  return (
    <div className="grid gap-3">
      <div className="max-w-md">
        <SearchField
          label="Search capabilities"
          placeholder="Id, name or description"
          value={search}
          onChange={(text) =>
            void navigate({ search: text === "" ? {} : { search: text }, replace: true })
          }
        />
      </div>
      {found.isPending && <Loading what="the capabilities" />}
      {found.data && (
        <>
          <p role="status" className="text-muted text-sm">
            {count(found.data.pages[0]?.total ?? 0, "capability", "capabilities")}
          </p>
          <ul className="grid gap-2">
            {found.data.pages
              .flatMap(({ capabilities }) => capabilities)
              .map((capability) => (
                <li
                  key={capability.id}
                  className="min-w-0 [contain-intrinsic-size:auto_8rem] [content-visibility:auto]"
                >
                  <CapabilityCard {...{ tool, capability, mayInvoke }} />
                </li>
              ))}
          </ul>
          {found.data.pages[0]?.total === 0 && (
            <EmptyState
              title={
                search === "" ? "This tool has no capabilities" : "No capabilities match the search"
              }
            />
          )}
        </>
      )}
      {found.isError && <ErrorPanel error={found.error} retry={() => void found.refetch()} />}
      {found.hasNextPage && (
        <Button disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
          {found.isFetchingNextPage ? "Loading …" : "Show more"}
        </Button>
      )}
    </div>
  );
}

function CapabilityCard({
  tool,
  capability,
  mayInvoke,
}: {
  readonly tool: Tool;
  readonly capability: Capability;
  readonly mayInvoke: boolean;
}) {
  const { request } = capability;
  return (
    <article className="border-border bg-surface min-w-0 rounded-lg border p-3">
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="font-semibold break-words">
            <bdi>{capability.name}</bdi>
          </h2>
          <code className="text-muted text-sm break-all">{capability.id}</code>
        </div>
        {mayInvoke && (
          <Link
            to="/tools/$toolId"
            params={{ toolId: tool.id }}
            search={{ tab: "try", capability: capability.id }}
            aria-label={`Try it: ${capability.name}`}
            className={buttonClass()}
          >
            <Play aria-hidden className="size-4" />
            Try it
          </Link>
        )}
      </div>
      {capability.description !== "" && capability.description !== capability.name && (
        <p className="mt-1 max-w-prose break-words whitespace-pre-line">
          <bdi>{capability.description}</bdi>
        </p>
      )}
      {request && (
        <p className="text-muted mt-1 text-sm break-all">
          <code>
            {request.method} {request.path}
          </code>
        </p>
      )}
      {capability.parameters.length > 0 && (
        <details className="mt-2">
          <summary className="text-accent w-fit py-0.5">
            {count(capability.parameters.length, "parameter")}
          </summary>
          <ParameterList capability={capability} />
        </details>
      )}
    </article>
  );
}

function ParameterList({ capability }: { readonly capability: Capability }) {
  const fields = fieldsOf(capability.parameters);
  return (
    <dl className="border-border mt-1 grid gap-2 border-l-2 pl-3">
      {capability.parameters.map(({ name, type, required, description, schema }, index) => (
        <div key={name} className="min-w-0">
          <dt className="flex flex-wrap items-center gap-1.5">
            <code className="font-semibold break-all">{name}</code>
            <span className="text-muted text-sm">
              {[type, ...(fields[index]?.constraints ?? [])].join(" · ")}
            </span>
            {required && <Badge tone="info">Required</Badge>}
          </dt>
          {description !== undefined && (
            <dd className="break-words">
              <bdi>{description}</bdi>
            </dd>
          )}
          {schema !== undefined && (
            <dd>
              <details>
                <summary className="text-muted w-fit py-0.5 text-sm">JSON Schema</summary>
                <pre
                  tabIndex={0}
                  className="bg-sunken max-h-80 overflow-auto rounded-md p-2 text-sm"
                >
                  {JSON.stringify(schema, null, 2)}
                </pre>
              </details>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
