import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { AnswerForm } from "../tasks/answer-form.tsx";
import { taskQuery, type ListedTask, type Task } from "../tasks/queries.ts";
import { MarkdownSummary } from "../tasks/detail/markdown-text.tsx";
import { ReviewForm } from "../tasks/review-form.tsx";
import { StatusBadge } from "../tasks/status-badge.tsx";
import { formatCost } from "../tasks/cost.ts";
import { Deadline } from "../tasks/task-fields.tsx";
import { titleOf } from "../tasks/task-title.ts";
import { buttonClass } from "../ui/button.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { InboxCard } from "./problem-cards.tsx";
import { useStableHeight } from "./stable-height.ts";

/**
 * A task that is waiting for a person: its question or its submitted work, and a form for the answer or decision. When
 * the task is no longer waiting, the card says so and keeps its height, so that the buttons of other cards do not move.
 */
export function TaskCard({
  task,
  isGone,
  isCurrent,
}: {
  readonly task: ListedTask;
  /** Whether the shortcuts concern this card. */
  readonly isCurrent: boolean;
  /** Whether the task has left the list of waiting tasks. */
  readonly isGone: boolean;
}) {
  const query = useQuery(taskQuery(task.taskId));
  const [done, setDone] = useState<string | null>(null);
  const current = query.data;
  const isOver = isGone || (current !== undefined && !isWaiting(current));
  const card = useStableHeight<HTMLLIElement>(isOver);

  /** Moves the focus to the card, because the form that has the focus disappears. */
  function onDone(text: string): void {
    setDone(text);
    card.current?.focus();
  }
  return (
    <InboxCard ref={card} id={task.taskId} isCurrent={isCurrent}>
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={current?.status ?? task.status} />
        <h2 className="min-w-0 font-semibold break-words">
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task.taskId }}
            data-key="Enter"
            className="hover:text-accent hover:underline"
          >
            <bdi>{titleOf(task)}</bdi>
          </Link>
        </h2>
      </div>
      <p className="text-muted flex flex-wrap gap-x-3 text-sm">
        {task.agentName !== undefined && (
          <span>
            {task.status === "blocked" ? "Asked by" : "Work by"} <bdi>{task.agentName}</bdi>
          </span>
        )}
        <span>{task.priority} priority</span>
        <Deadline task={task} />
        {task.spend !== undefined && <span>Cost {formatCost(task.spend.cost)}</span>}
        <span>
          Created <Time at={task.createdAt} />
        </span>
      </p>
      {query.isPending && <Loading what="the details" />}
      {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {isOver && (
        <p role="status" className="text-success flex items-center gap-2">
          <CircleCheck aria-hidden className="size-4 shrink-0" />
          {done ?? "This task is no longer waiting for you."}
        </p>
      )}
      {!isOver && current?.blocked !== undefined && (
        <Question
          key={current.blocked.since}
          task={current}
          blocked={current.blocked}
          onDone={onDone}
        />
      )}
      {!isOver && current?.status === "review" && <Review task={current} onDone={onDone} />}
    </InboxCard>
  );
}

function isWaiting({ status, blocked }: Task): boolean {
  return status === "review" || blocked !== undefined;
}

function Question({
  task,
  blocked,
  onDone,
}: {
  readonly task: Task;
  readonly blocked: NonNullable<Task["blocked"]>;
  readonly onDone: (text: string) => void;
}) {
  return (
    <>
      <blockquote className="border-warning border-l-2 pl-3 break-words whitespace-pre-wrap">
        <bdi>{blocked.question}</bdi>
      </blockquote>
      <p className="text-muted text-sm">
        Asked <Time at={blocked.since} />
      </p>
      {blocked.approvalIds === undefined ? (
        <AnswerForm task={task} kind={blocked.kind} onDone={onDone} />
      ) : (
        <p>A person whose key has the scope approvals:decide must decide.</p>
      )}
    </>
  );
}

function Review({
  task,
  onDone,
}: {
  readonly task: Task;
  readonly onDone: (text: string) => void;
}) {
  const { result, deliverables = [], waitingFor } = task;
  return (
    <>
      {waitingFor?.kind === "review" && (
        <p className="text-muted text-sm">
          Submitted <Time at={waitingFor.since} />
        </p>
      )}
      {result !== undefined && (
        <div className="max-h-40 overflow-y-auto" tabIndex={0}>
          <MarkdownSummary source={result.summary} />
        </div>
      )}
      {deliverables.length > 0 && (
        <p>
          <Link to="/tasks/$taskId" params={{ taskId: task.taskId }} className={buttonClass()}>
            View {deliverables.length === 1 ? "the file" : `all ${deliverables.length} files`}:{" "}
            {deliverables.map(({ name }) => name).join(", ")}
          </Link>
        </p>
      )}
      <ReviewForm taskId={task.taskId} onDone={onDone} />
    </>
  );
}
