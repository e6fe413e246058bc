import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";

/** What a person can do to a task. */
export type TaskAction =
  | { readonly kind: "respond"; readonly body: Schemas["RespondToTaskBody"] }
  | { readonly kind: "review"; readonly body: Schemas["ReviewTaskBody"] }
  | { readonly kind: "cancel"; readonly body: Schemas["CancelTaskBody"] }
  | { readonly kind: "retry"; readonly body: Schemas["RetryTaskBody"] }
  | { readonly kind: "feedback"; readonly body: Schemas["GiveFeedbackBody"] };

/** What happens to a task that is cancelled. */
export const CANCEL_EFFECT =
  "Work stops. A cancelled task cannot be retried, and its cost so far is not refunded.";

export function sendAction(taskId: string, action: TaskAction): Promise<unknown> {
  const params = { path: { id: taskId } };
  switch (action.kind) {
    case "respond":
      return dataOf(api.POST("/agents/tasks/{id}/respond", { params, body: action.body }));
    case "review":
      return dataOf(api.POST("/agents/tasks/{id}/review", { params, body: action.body }));
    case "cancel":
      return dataOf(api.POST("/agents/tasks/{id}/cancel", { params, body: action.body }));
    case "retry":
      return dataOf(api.POST("/agents/tasks/{id}/retry", { params, body: action.body }));
    case "feedback":
      return dataOf(api.POST("/agents/tasks/{id}/feedback", { params, body: action.body }));
  }
}

/** Sends an action, and then fetches the task and the lists again, also if it was rejected. */
export function useTaskAction(taskId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (action: TaskAction) => sendAction(taskId, action),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ["task", taskId] }),
        queryClient.invalidateQueries({ queryKey: ["tasks"] }),
      ]),
  });
}
