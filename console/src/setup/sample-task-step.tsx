import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { api, dataOf } from "../api/client.ts";
import { curlFor } from "../api/curl.ts";
import { taskQuery, type Task } from "../tasks/queries.ts";
import { StatusBadge } from "../tasks/status-badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { IsolatedList } from "../ui/isolated-list.tsx";
import { Command, ErrorPanel, Loading } from "../ui/panels.tsx";
import { SAMPLE_TASK } from "./sample-task.ts";

/** Live events refresh the task at once. This covers a lost connection. */
const REFRESH_MS = 3_000;

/** Creates the sample task, and follows it until it ends. */
export function SampleTaskStep({
  taskId,
  onCreated,
}: {
  readonly taskId: string | null;
  readonly onCreated: (taskId: string) => void;
}) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () => dataOf(api.POST("/agents/tasks", { body: SAMPLE_TASK })),
    onSuccess: async (created) => {
      onCreated(created.taskId);
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
    },
  });
  return (
    <div className="grid gap-4">
      <details>
        <summary className="text-accent w-fit py-0.5">Use curl instead</summary>
        <div className="mt-2">
          <Command text={curlFor("POST", "/agents/tasks", SAMPLE_TASK)} />
        </div>
      </details>
      <div className="grid justify-items-start gap-3">
        {create.error && <ErrorPanel error={create.error} />}
        <Button
          kind={taskId === null ? "primary" : "secondary"}
          disabled={create.isPending}
          onClick={() => create.mutate()}
        >
          <Play aria-hidden className="size-4" />
          {taskId === null ? "Run the sample task" : "Run it again"}
        </Button>
      </div>
      {taskId !== null && <TaskProgress taskId={taskId} />}
    </div>
  );
}

function isEnded({ status }: Task): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function TaskProgress({ taskId }: { readonly taskId: string }) {
  const found = useQuery({
    ...taskQuery(taskId),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isEnded(state.data) ? false : REFRESH_MS,
  });
  if (found.data === undefined) {
    return found.isError ? (
      <ErrorPanel error={found.error} retry={() => void found.refetch()} />
    ) : (
      <Loading what="the task" />
    );
  }
  const task = found.data;
  return (
    <div className="border-border bg-sunken grid gap-2 rounded-md border p-3">
      <p role="status" className="flex flex-wrap items-center gap-2">
        <StatusBadge status={task.status} />
        <span>{task.progress}%</span>
        {task.currentPhase !== undefined && !isEnded(task) && (
          <span className="min-w-0 break-words">
            <bdi>{task.currentPhase}</bdi>
          </span>
        )}
        {task.agentName !== undefined && (
          <span className="text-muted min-w-0 break-words">
            by <bdi>{task.agentName}</bdi>
          </span>
        )}
      </p>
      <progress
        value={task.progress}
        max={100}
        aria-label="Progress"
        className="accent-accent w-full"
      />
      {task.error !== undefined && (
        <p className="text-danger break-words">
          <bdi>{task.error.message}</bdi>
        </p>
      )}
      {task.deliverables !== undefined && task.deliverables.length > 0 && (
        <p className="break-words">
          Deliverables: <IsolatedList texts={task.deliverables.map(({ name }) => name)} />
        </p>
      )}
      <div>
        <Link
          to="/tasks/$taskId"
          params={{ taskId }}
          className={buttonClass(isEnded(task) ? "primary" : "secondary")}
        >
          Open the task
        </Link>
      </div>
    </div>
  );
}
