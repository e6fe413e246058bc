import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { AwaitedCalls } from "../../approvals/awaited-calls.tsx";
import { pressControl, useShortcuts } from "../../layout/shortcuts.ts";
import { useHasScope } from "../../session/identity.ts";
import { TONES } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Time } from "../../ui/time.tsx";
import { AnswerForm } from "../answer-form.tsx";
import type { Task } from "../queries.ts";
import { ReviewForm } from "../review-form.tsx";
import { explainStatus } from "./explain-status.ts";
import { awaitedAgentOf } from "./explain-wait.ts";
import { SentenceText } from "./foreign-text.tsx";
import { assigneeQuery } from "./queries.ts";
import { ResultSummary } from "./result-summary.tsx";
import { WaitActions } from "./wait-actions.tsx";

/** How often the agent of a waiting task is read again, because there is no event when a worker comes online. */
const AGENT_REFRESH_MS = 15_000;

/** Says in one sentence why the task has its status, and offers the actions that let it continue. */
export function StatusPanel({
  task,
  isOverview,
  onDone,
}: {
  readonly task: Task;
  /** Whether to show the result of a completed task. The work in review is always shown. */
  readonly isOverview: boolean;
  readonly onDone: (text: string) => void;
}) {
  const canWrite = useHasScope("tasks:write");
  const canDecide = useHasScope("approvals:decide");
  const canReadAgents = useHasScope("agents:manage");
  const isWaiting = ["pending", "assigned", "in_progress"].includes(task.status);
  const agentId = awaitedAgentOf(task);
  const { data: agent, dataUpdatedAt } = useQuery({
    ...assigneeQuery(agentId ?? ""),
    enabled: canReadAgents && isWaiting && agentId !== undefined,
    refetchInterval: task.waitingFor === null ? false : AGENT_REFRESH_MS,
  });
  const {
    tone,
    sentence,
    advice,
    actions = [],
  } = explainStatus(task, isWaiting ? (agent ?? null) : null, dataUpdatedAt);
  const { blocked } = task;
  const panel = useRef<HTMLElement>(null);
  useShortcuts(
    (blocked?.approvalIds === undefined ? canWrite : canDecide)
      ? shortcutsFor(task).map(([keys, label]) => ({
          keys,
          label,
          run: () => pressControl(panel.current, keys),
        }))
      : [],
  );
  return (
    <section
      ref={panel}
      aria-label="Status"
      className={classNames("grid gap-3 rounded-lg border p-4 [&>*]:min-w-0", TONES[tone])}
    >
      <div>
        <p
          className={classNames(
            "text-base font-medium break-words",
            tone === "neutral" && "text-text",
          )}
        >
          <SentenceText sentence={sentence} />
        </p>
        {advice !== undefined && <p className="text-text">{advice}</p>}
        {blocked && (
          <p className="text-text text-sm">
            Asked <Time at={blocked.since} />
          </p>
        )}
      </div>
      <WaitActions task={task} actions={actions} onDone={onDone} />
      {blocked?.approvalIds !== undefined && (
        <AwaitedCalls approvalIds={blocked.approvalIds} onDone={onDone} />
      )}
      {blocked && blocked.approvalIds === undefined && (
        <div className="bg-surface border-border text-text grid gap-3 rounded-md border p-3">
          <h2 className="sr-only">Question</h2>
          <p
            dir="auto"
            className="max-h-[40dvh] overflow-y-auto break-words whitespace-pre-wrap"
            tabIndex={0}
          >
            {blocked.question}
          </p>
          {canWrite && (
            <AnswerForm key={blocked.since} kind={blocked.kind} task={task} onDone={onDone} />
          )}
        </div>
      )}
      {task.result && (isOverview || task.status === "review") && (
        <div className="bg-surface border-border text-text grid gap-3 rounded-md border p-3">
          <ResultSummary task={task} result={task.result} />
          {task.status === "review" && canWrite && (
            <ReviewForm taskId={task.taskId} onDone={onDone} />
          )}
        </div>
      )}
    </section>
  );
}

/** The keys of the controls in the form that the task needs. */
function shortcutsFor({
  status,
  blocked,
}: Task): readonly (readonly [keys: string, label: string])[] {
  if (status === "review")
    return [
      ["a", "Approve the work"],
      ["d", "Request changes"],
      ["r", "Write a comment on the work"],
    ];
  // With several calls, a key would not say which one it concerns.
  if ((blocked?.approvalIds?.length ?? 0) > 1) return [];
  if (blocked?.kind === "approval")
    return [
      ["a", "Approve"],
      ["d", "Deny"],
      ["r", "Write a comment"],
    ];
  return blocked ? [["r", "Answer the question"]] : [];
}
