import { useInfiniteQuery } from "@tanstack/react-query";
import {
  Ban,
  Check,
  ChevronRight,
  CircleDashed,
  TriangleAlert,
  X,
  type LucideIcon,
} from "lucide-react";
import { useState } from "react";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState, ErrorPanel, Loading } from "../../ui/panels.tsx";
import { formatDuration } from "../../ui/relative-time.ts";
import { Time } from "../../ui/time.tsx";
import { formatCost } from "../cost.ts";
import { CallRecord } from "./call-record.tsx";
import { callName } from "./describe-event.ts";
import { taskCallsQuery, type TaskCall } from "./queries.ts";

const OUTCOMES: Readonly<
  Record<TaskCall["outcome"], readonly [label: string, tone: Tone, icon: LucideIcon]>
> = {
  ok: ["Succeeded", "success", Check],
  failed: ["Failed", "danger", X],
  rejected: ["Rejected", "warning", Ban],
  running: ["Running", "accent", CircleDashed],
  interrupted: ["Interrupted", "warning", TriangleAlert],
};

/** Every tool call under the task, including rejected ones, newest first, with its parameters and result. */
export function CallsTab({ taskId }: { readonly taskId: string }) {
  const query = useInfiniteQuery(taskCallsQuery(taskId));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (data === undefined && error !== null)
    return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the tool calls" />;
  const calls = data.pages.flatMap((page) => page.calls);
  if (calls.length === 0)
    return (
      <EmptyState title="No tool calls yet">
        Tool calls appear here with their parameters and results.
      </EmptyState>
    );
  return (
    <div className="grid gap-2 [&>*]:min-w-0">
      <ul className="border-border bg-surface divide-border divide-y rounded-lg border">
        {calls.map((call) => (
          <li key={call.callId}>
            <CallRow taskId={taskId} call={call} />
          </li>
        ))}
      </ul>
      {error !== null && <ErrorPanel error={error} />}
      {hasNextPage && (
        <div>
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : "Show older calls"}
          </Button>
        </div>
      )}
    </div>
  );
}

function CallRow({ taskId, call }: { readonly taskId: string; readonly call: TaskCall }) {
  const [isOpen, setIsOpen] = useState(false);
  const [label, tone, Icon] = OUTCOMES[call.outcome];
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="hover:bg-sunken flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 -outline-offset-2">
        <ChevronRight aria-hidden className={classNames("size-4", isOpen && "rotate-90")} />
        <Badge tone={tone} icon={<Icon aria-hidden />}>
          {label}
        </Badge>
        <bdi className="min-w-0 font-medium break-words">{callName(call)}</bdi>
        <span className="text-muted ml-auto flex flex-wrap gap-x-3 text-sm">
          {call.durationMs !== undefined && <span>{formatDuration(call.durationMs)}</span>}
          {call.cost > 0 && <span>{formatCost(call.cost)}</span>}
          <Time at={call.startedAt} />
        </span>
        {call.error && (
          <bdi className="text-danger w-full text-sm break-words">{call.error.message}</bdi>
        )}
      </summary>
      {isOpen && (
        <div className="px-3 pb-2">
          <p className="text-muted text-sm">
            Attempt {call.attempt}
            {call.turn !== undefined && ` · turn ${call.turn}`} · {call.source}
            {call.agentId !== undefined && (
              <>
                {" "}
                · <bdi>{call.agentId}</bdi>
              </>
            )}
          </p>
          <CallRecord taskId={taskId} callId={call.callId} />
        </div>
      )}
    </details>
  );
}
