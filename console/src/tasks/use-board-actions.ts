import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sendAction, type TaskAction } from "./actions.ts";
import type { ListedTask } from "./queries.ts";

interface Acted {
  readonly task: ListedTask;
  readonly action: TaskAction;
}

interface Failure {
  readonly task: ListedTask;
  readonly error: Error;
}

/** Sends actions for tasks on the board. A failure is kept, also if the task's card is gone, until it is dismissed. */
export function useBoardActions() {
  const queryClient = useQueryClient();
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [lastTaskId, setLastTaskId] = useState<string | null>(null);
  const { mutate } = useMutation({
    mutationFn: ({ task, action }: Acted) => sendAction(task.taskId, action),
    onError: (error, { task }) =>
      setFailures((current) => [...without(task.taskId, current), { task, error }]),
    // The task and the lists are also fetched again after a rejection, because they are out of date then.
    onSettled: (_data, _error, { task }) =>
      Promise.all(
        [["task", task.taskId], ["tasks"]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });

  function dismiss(taskId: string): void {
    setFailures((current) => without(taskId, current));
  }

  function act(task: ListedTask, action: TaskAction): void {
    dismiss(task.taskId);
    setLastTaskId(task.taskId);
    mutate({ task, action });
  }

  return { act, dismiss, failures, lastTaskId };
}

function without(taskId: string, failures: readonly Failure[]): readonly Failure[] {
  return failures.filter(({ task }) => task.taskId !== taskId);
}
