import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AnswerForm } from "../tasks/answer-form.tsx";
import { taskQuery, type ListedTask, type Task } from "../tasks/queries.ts";
import { ReviewForm } from "../tasks/review-form.tsx";
import { StatusBadge } from "../tasks/status-badge.tsx";
import { formatCost } from "../tasks/cost.ts";
import { Deadline } from "../tasks/task-fields.tsx";
import { titleOf } from "../tasks/task-title.ts";
import { buttonClass } from "../ui/button.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { InboxCard } from "./problem-cards.tsx";

/** A task that is waiting for a person: its question or its submitted work, and the form to decide. */
export function TaskCard({ task }: { readonly task: ListedTask }) {
  const query = useQuery(taskQuery(task.taskId));
  return (
    <InboxCard>
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={task.status} />
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
      {query.data?.blocked !== undefined && (
        <Question task={query.data} blocked={query.data.blocked} />
      )}
      {query.data?.status === "review" && <Review task={query.data} />}
    </InboxCard>
  );
}

function Question({
  task,
  blocked,
}: {
  readonly task: Task;
  readonly blocked: NonNullable<Task["blocked"]>;
}) {
  return (
    <>
      <blockquote className="border-warning border-l-2 pl-3 break-words whitespace-pre-wrap">
        <bdi>{blocked.question}</bdi>
      </blockquote>
      <p className="text-muted text-sm">
        Asked <Time at={blocked.since} />
      </p>
      <AnswerForm task={task} kind={blocked.kind} />
    </>
  );
}

function Review({ task }: { readonly task: Task }) {
  const { result, deliverables = [], waitingFor } = task;
  return (
    <>
      {waitingFor?.kind === "review" && (
        <p className="text-muted text-sm">
          Submitted <Time at={waitingFor.since} />
        </p>
      )}
      {result !== undefined && (
        <p className="max-h-40 overflow-y-auto break-words whitespace-pre-wrap" tabIndex={0}>
          <bdi>{result.summary}</bdi>
        </p>
      )}
      {deliverables.length > 0 && (
        <p>
          <Link to="/tasks/$taskId" params={{ taskId: task.taskId }} className={buttonClass()}>
            View {deliverables.length === 1 ? "the file" : `all ${deliverables.length} files`}:{" "}
            {deliverables.map(({ name }) => name).join(", ")}
          </Link>
        </p>
      )}
      <ReviewForm taskId={task.taskId} />
    </>
  );
}
