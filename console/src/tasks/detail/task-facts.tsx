import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useHasScope } from "../../session/identity.ts";
import { classNames } from "../../ui/class-names.ts";
import { formatExactTime, formatDuration, spaceUnits } from "../../ui/relative-time.ts";
import { Time, useNow } from "../../ui/time.tsx";
import { PRIORITY_LABELS } from "../filters.ts";
import type { Task } from "../queries.ts";
import type { TaskEvent } from "./task-log.ts";
import { BudgetMeter } from "../budget-meter.tsx";
import { formatCost } from "../cost.ts";
import { count } from "../../tools/words.ts";

/** The remaining time below which a countdown shows seconds. */
const SECONDS_SHOWN_MS = 10 * 60_000;

/** The properties of a task: agent, spending, times. */
export function TaskFacts({
  task,
  log,
}: {
  readonly task: Task;
  readonly log: readonly TaskEvent[];
}) {
  const { budget, spend, timeline, lease, deadline, notes } = task;
  const endedAt = endOf(task, log);
  const tokens = spend?.tokens;
  return (
    <section aria-label="Properties" className="border-border bg-surface rounded-lg border p-4">
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-x-6 gap-y-3">
        <Fact label="Agent">
          <AgentLink task={task} />
        </Fact>
        {lease && (
          <Fact label="Held by">
            <bdi>{lease.worker ?? "Unnamed worker"}</bdi>
            <span className="text-muted block text-sm">
              Renewed <Time at={lease.renewedAt} />
              <br />
              Lease ends <Countdown at={lease.expiresAt} past="now" />
            </span>
          </Fact>
        )}
        <Fact label="Priority">{PRIORITY_LABELS[task.priority]}</Fact>
        {task.teamId !== undefined && (
          <Fact label="Team">
            <bdi>{task.teamId}</bdi>
          </Fact>
        )}
        <Fact label="Attempt">{task.attempt}</Fact>
        <Fact label="Cost">
          <BudgetMeter
            used={spend?.cost ?? 0}
            limit={budget?.maxCost}
            format={formatCost}
            what="Cost"
          />
        </Fact>
        <Fact label="Tool calls">
          <BudgetMeter
            used={spend?.toolCalls ?? 0}
            limit={budget?.maxToolCalls}
            format={(calls) => calls.toLocaleString("en")}
            what="Tool calls"
          />
        </Fact>
        {tokens && <Fact label="Tokens">{count(tokens.input + tokens.output, "token")}</Fact>}
        {deadline !== undefined && (
          <Fact label="Deadline">
            {endedAt === undefined ? (
              <Countdown at={deadline} past="passed" />
            ) : (
              <Time at={deadline} />
            )}
          </Fact>
        )}
        <Fact label="Created">
          <Time at={task.createdAt} />
        </Fact>
        {timeline.startedAt !== undefined && (
          <Fact label="Started">
            <Time at={timeline.startedAt} />
          </Fact>
        )}
        {endedAt !== undefined && (
          <Fact label="Ended">
            <Time at={endedAt} />
          </Fact>
        )}
        {timeline.workingTime !== undefined && (
          <Fact label="Working time">
            {spaceUnits(timeline.workingTime)}
            {timeline.waitingTime !== undefined && timeline.waitingTime !== "0ms" && (
              <span className="text-muted block text-sm">
                waited {spaceUnits(timeline.waitingTime)}
              </span>
            )}
          </Fact>
        )}
      </dl>
      {notes !== undefined && (
        <details className="mt-3">
          <summary className="w-fit font-medium">Notes</summary>
          <p dir="auto" className="mt-1 break-words whitespace-pre-wrap">
            {notes}
          </p>
        </details>
      )}
    </section>
  );
}

/** When the current attempt ended, if it has. */
function endOf({ status, timeline, error }: Task, log: readonly TaskEvent[]): string | undefined {
  if (status === "completed") return timeline.completedAt;
  if (status === "failed") return error?.at;
  if (status === "cancelled") return log.findLast(({ type }) => type === "cancelled")?.at;
  return undefined;
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

function AgentLink({ task: { agentId, agentName } }: { readonly task: Task }) {
  const canReadAgents = useHasScope("agents:manage");
  if (agentId === undefined) return <span className="text-muted">None yet</span>;
  const name = <bdi>{agentName ?? agentId}</bdi>;
  if (!canReadAgents) return name;
  return (
    <Link to="/agents/$agentId" params={{ agentId }} className="text-accent underline">
      {name}
    </Link>
  );
}

function Countdown({ at, past }: { readonly at: string; readonly past: string }) {
  const leftMs = Date.parse(at) - useNow();
  const unitMs = leftMs < SECONDS_SHOWN_MS ? 1_000 : 60_000;
  return (
    <time
      dateTime={at}
      title={formatExactTime(at)}
      className={classNames(leftMs <= 0 && "text-danger font-medium")}
    >
      {leftMs <= 0 ? past : `in ${formatDuration(Math.floor(leftMs / unitMs) * unitMs)}`}
    </time>
  );
}
