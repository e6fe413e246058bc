import { useTaskAction, type TaskAction } from "./actions.ts";

/** Sends an action and then says what was done, even if the form is gone because the task has changed. */
export function useAct(taskId: string, onDone?: (text: string) => void) {
  const { mutateAsync, error, isPending } = useTaskAction(taskId);
  return {
    error,
    isPending,
    act: (action: TaskAction, done: string): void => {
      mutateAsync(action).then(
        () => onDone?.(done),
        // `error` shows why.
        () => undefined,
      );
    },
  };
}
