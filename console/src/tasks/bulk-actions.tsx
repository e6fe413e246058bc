import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CANCEL_EFFECT, sendAction, type TaskAction } from "./actions.ts";
import { count } from "../tools/words.ts";
import type { ListedTask } from "./queries.ts";
import { titleOf } from "./task-title.ts";

/** Requests at the same time, so that a selection of many tasks does not exceed the key's rate limit. */
const CONCURRENCY = 4;

interface BulkAction {
  readonly label: string;
  readonly done: string;
  /** What the action does, if its label does not say it. */
  readonly effect?: string;
  readonly action: TaskAction;
  readonly appliesTo: (task: ListedTask) => boolean;
}

const ENDED = new Set(["completed", "failed", "cancelled"]);
const ACTIONS: readonly BulkAction[] = [
  {
    label: "Cancel",
    done: "cancelled",
    effect: CANCEL_EFFECT,
    action: { kind: "cancel", body: {} },
    appliesTo: ({ status }) => !ENDED.has(status),
  },
  {
    label: "Retry",
    done: "retried",
    action: { kind: "retry", body: {} },
    appliesTo: ({ status }) => status === "failed",
  },
  {
    label: "Approve",
    done: "approved",
    action: { kind: "review", body: { decision: "approve" } },
    appliesTo: ({ status }) => status === "review",
  },
];

/** Actions on all selected tasks that permit them, after a confirmation. */
export function BulkActions({
  tasks,
  onClear,
}: {
  readonly tasks: readonly ListedTask[];
  readonly onClear: () => void;
}) {
  const [chosen, setChosen] = useState<BulkAction | null>(null);
  return (
    <div
      role="region"
      aria-label="Selected tasks"
      className="border-accent/40 bg-accent-soft sticky top-12 z-[5] mb-2 flex flex-wrap items-center gap-2 rounded-md border p-2 md:top-0"
    >
      <p className="font-medium">{tasks.length} selected</p>
      {ACTIONS.map((one) => {
        const applicable = tasks.filter(one.appliesTo).length;
        return (
          <Button key={one.label} disabled={applicable === 0} onClick={() => setChosen(one)}>
            {one.label} {applicable}
          </Button>
        );
      })}
      <Button kind="quiet" onClick={onClear}>
        Clear the selection
      </Button>
      {chosen !== null && (
        <Confirmation
          action={chosen}
          tasks={tasks.filter(chosen.appliesTo)}
          onClose={() => setChosen(null)}
          onDone={onClear}
        />
      )}
    </div>
  );
}

interface Outcome {
  readonly task: ListedTask;
  readonly error: Error | null;
}

function Confirmation({
  action,
  tasks,
  onClose,
  onDone,
}: {
  readonly action: BulkAction;
  readonly tasks: readonly ListedTask[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const queryClient = useQueryClient();
  // The selection may change while the dialog is open, because tasks change.
  const [targets] = useState(tasks);
  const [finished, setFinished] = useState(0);
  const run = useMutation({
    mutationFn: async (): Promise<readonly Outcome[]> => {
      const waiting = [...targets];
      const outcomes: Outcome[] = [];
      const work = async (): Promise<void> => {
        for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
          const error = await sendAction(task.taskId, action.action).then(
            () => null,
            (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason))),
          );
          outcomes.push({ task, error });
          setFinished(outcomes.length);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      return outcomes;
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["tasks"] }),
  });
  const failed = run.data?.filter(({ error }) => error !== null) ?? [];
  const noun = targets.length === 1 ? "task" : "tasks";
  return (
    <Dialog title={`${action.label} ${targets.length} ${noun}?`} onClose={onClose}>
      {run.data === undefined ? (
        <div className="grid gap-3">
          <ul className="max-h-60 list-disc overflow-y-auto pl-5">
            {targets.slice(0, 20).map((task) => (
              <li key={task.taskId} className="truncate">
                <bdi>{titleOf(task)}</bdi>
              </li>
            ))}
            {targets.length > 20 && <li>and {targets.length - 20} more</li>}
          </ul>
          {action.effect !== undefined && <p>{action.effect}</p>}
          <div className="flex items-center justify-end gap-2">
            {run.isPending && (
              <p role="status" className="text-muted mr-auto">
                {finished} of {targets.length} …
              </p>
            )}
            <Button onClick={onClose}>
              {action.label === "Cancel" ? `Keep the ${noun}` : "Cancel"}
            </Button>
            <Button kind="primary" disabled={run.isPending} onClick={() => run.mutate()}>
              {action.label} {targets.length} {noun}
            </Button>
          </div>
        </div>
      ) : (
        <div className="grid gap-3" role="status">
          <p>
            {failed.length === 0
              ? `${count(run.data.length, "task")} ${action.done}.`
              : `${run.data.length - failed.length} of ${count(run.data.length, "task")} ${action.done}. Not ${action.done}:`}
          </p>
          {failed.length > 0 && (
            <ul className="max-h-60 list-disc overflow-y-auto pl-5">
              {failed.map(({ task, error }) => (
                <li key={task.taskId} className="break-words">
                  <bdi>{titleOf(task)}</bdi>: {error?.message}
                </li>
              ))}
            </ul>
          )}
          <div className="flex justify-end">
            <Button
              kind="primary"
              onClick={() => {
                onClose();
                onDone();
              }}
            >
              Close
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
