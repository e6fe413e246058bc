import { useState, type SubmitEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { useTaskAction } from "../actions.ts";
import type { Task } from "../queries.ts";
import { FormActions, submitOnCtrlEnter } from "./form-actions.tsx";

export interface ActionDialogProps {
  readonly task: Task;
  readonly onClose: () => void;
  /** Called with what was done. */
  readonly onDone: (text: string) => void;
}

export function CancelDialog({ task, onClose, onDone }: ActionDialogProps) {
  const [reason, setReason] = useState("");
  const action = useTaskAction(task.taskId);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    const onSuccess = (): void => {
      onClose();
      onDone("The task was cancelled.");
    };
    action.mutate({ kind: "cancel", body }, { onSuccess });
  }

  return (
    <Dialog title="Cancel this task?" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        <p>
          The task ends permanently and cannot be retried. The agent stops its work. What it has
          spent so far remains charged.
        </p>
        <TextArea
          label="Reason (optional)"
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
          maxLength={5_000}
        />
        <FormActions error={action.error}>
          <Button kind="danger" type="submit" disabled={action.isPending}>
            {action.isPending ? "Cancelling …" : "Cancel the task"}
          </Button>
          <Button onClick={onClose}>Keep the task</Button>
        </FormActions>
      </form>
    </Dialog>
  );
}
