import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { curlFor } from "../api/curl.ts";
import { useShortcuts } from "../layout/shortcuts.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { DeleteLimitDialog, EditLimitDialog, NewLimitDialog } from "./limit-dialogs.tsx";
import { LimitMeter } from "./limit-meter.tsx";
import { formatRule, limitStateOf } from "./limit-use.ts";
import { limitsQuery, type Limit } from "./queries.ts";

const CREATE_COMMAND = curlFor("POST", "/agents/limits", {
  id: "daily-spend",
  name: "Daily spend",
  scope: { all: true },
  measure: "usd",
  per: "day",
  limit: 5,
});
const ROW_HEIGHT = 132;

type Chosen = { readonly limit: Limit; readonly to: "edit" | "delete" } | "new";

export function LimitsView() {
  const [chosen, setChosen] = useState<Chosen>();
  const query = useInfiniteQuery(limitsQuery);
  const close = (): void => setChosen(undefined);
  const create = (): void => setChosen("new");
  useShortcuts([{ keys: "n", label: "Create a limit", run: create }]);
  const limits = query.data?.pages.flatMap((page) => page.limits);
  return (
    <>
      <ViewHeader title="Limits">
        <Button kind="primary" onClick={create}>
          <Plus aria-hidden className="size-4" />
          Create a limit
        </Button>
      </ViewHeader>
      {query.isPending && <Loading what="the limits" />}
      {limits === undefined && query.error && (
        <ErrorPanel error={query.error} retry={() => void query.refetch()} />
      )}
      {limits?.length === 0 && (
        <EmptyState title="No limits yet" command={CREATE_COMMAND}>
          A limit caps what agents, teams, keys or tools spend, call or read. Calls that would
          exceed it are rejected before they are made.
        </EmptyState>
      )}
      {limits !== undefined && limits.length > 0 && (
        <VirtualList
          label="Limits"
          items={limits}
          keyOf={({ id }) => id}
          estimatedHeight={ROW_HEIGHT}
          pages={query}
        >
          {(limit) => (
            <LimitRow
              limit={limit}
              onEdit={() => setChosen({ limit, to: "edit" })}
              onDelete={() => setChosen({ limit, to: "delete" })}
            />
          )}
        </VirtualList>
      )}
      {chosen === "new" && <NewLimitDialog onClose={close} />}
      {chosen !== "new" && chosen?.to === "edit" && (
        <EditLimitDialog limit={chosen.limit} onClose={close} />
      )}
      {chosen !== "new" && chosen?.to === "delete" && (
        <DeleteLimitDialog limit={chosen.limit} onClose={close} />
      )}
    </>
  );
}

function LimitRow({
  limit,
  onEdit,
  onDelete,
}: {
  readonly limit: Limit;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2 p-3">
      <div className="grid min-w-0 flex-1 basis-72 gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 font-medium break-words">
            <bdi>{limit.name}</bdi>
          </h2>
          <CoveredBadge limit={limit} />
          <StateBadge limit={limit} />
        </div>
        {limit.per !== "call" && <LimitMeter limit={limit} />}
        <p className="text-muted flex flex-wrap gap-x-3 text-sm">
          <code title="The limit's id" className="break-all">
            {limit.id}
          </code>
          <span>{formatRule(limit)}</span>
          {limit.resetAt !== null && (
            <span>
              Resets <Time at={limit.resetAt} /> ({limit.timeZone})
            </span>
          )}
          {limit.onExceeded === "pause-agent" && <span>Pauses the agent</span>}
        </p>
      </div>
      <div className="flex gap-2">
        <Button aria-label={`Edit ${limit.name}`} onClick={onEdit}>
          Edit
        </Button>
        <Button kind="danger" aria-label={`Delete ${limit.name}`} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </div>
  );
}

function CoveredBadge({ limit: { scope } }: { readonly limit: Limit }) {
  const { agentId, teamId, toolId, keyId } = scope;
  if (agentId !== undefined) return <Badge tone="info">Agent {agentId}</Badge>;
  if (teamId !== undefined) return <Badge tone="info">Team {teamId}</Badge>;
  if (toolId !== undefined) return <Badge tone="info">Tool {toolId}</Badge>;
  if (keyId !== undefined) return <Badge tone="info">Key {keyId}</Badge>;
  return <Badge tone="info">Everything</Badge>;
}

function StateBadge({ limit }: { readonly limit: Limit }) {
  if (!limit.scopeExists) return <Badge tone="warning">What it covers was deleted</Badge>;
  if (!limit.enabled) return <Badge>Not in force</Badge>;
  switch (limitStateOf(limit)) {
    case "full":
      return <Badge tone="danger">Used up</Badge>;
    case "high":
      return <Badge tone="warning">Nearly used up</Badge>;
    case "low":
      return null;
  }
}
