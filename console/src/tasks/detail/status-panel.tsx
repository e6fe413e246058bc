import { useQuery } from "@tanstack/react-query";
import { useHasScope } from "../../session/identity.ts";
import { TONES } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Time } from "../../ui/time.tsx";
import type { Task } from "../queries.ts";
import { explainStatus } from "./explain-status.ts";
import { SentenceText } from "./foreign-text.tsx";
import { assigneeQuery } from "./queries.ts";
import { RespondForm } from "./respond-form.tsx";
import { ResultSummary } from "./result-summary.tsx";
import { ReviewForm } from "./review-form.tsx";

/** Says in one sentence why the task is where it is, and lets a person continue it. */
export function StatusPanel({
  task,
  onDone,
}: {
  readonly task: Task;
  readonly onDone: (text: string) => void;
}) {
  const canWrite = useHasScope("tasks:write");
  const canReadAgents = useHasScope("agents:manage");
  const isWaiting = task.status === "assigned" || task.status === "in_progress";
  const { data: agent } = useQuery({
    ...assigneeQuery(task.agentId ?? ""),
    enabled: canReadAgents && isWaiting && task.agentId !== undefined,
  });
  const { tone, sentence, advice } = explainStatus(task, agent ?? null);
  const { blocked } = task;
  return (
    <section
      aria-label="Status"
      className={classNames("grid gap-3 rounded-lg border p-4 [&>*]:min-w-0", TONES[tone])}
    >
      <div>
        <p className="text-base font-medium break-words">
          <SentenceText sentence={sentence} />
        </p>
        {advice !== undefined && <p className="text-text">{advice}</p>}
        {blocked && (
          <p className="text-text text-sm">
            Asked <Time at={blocked.since} />
          </p>
        )}
      </div>
      {blocked && (
        <div className="bg-surface border-border text-text grid gap-3 rounded-md border p-3">
          <h2 className="sr-only">Question</h2>
          <p
            dir="auto"
            className="max-h-[40dvh] overflow-y-auto break-words whitespace-pre-wrap"
            tabIndex={0}
          >
            {blocked.question}
          </p>
          {canWrite && <RespondForm key={blocked.since} task={task} onDone={onDone} />}
        </div>
      )}
      {task.result && (
        <div className="bg-surface border-border text-text grid gap-3 rounded-md border p-3">
          <ResultSummary task={task} result={task.result} />
          {task.status === "review" && canWrite && <ReviewForm task={task} onDone={onDone} />}
        </div>
      )}
    </section>
  );
}
