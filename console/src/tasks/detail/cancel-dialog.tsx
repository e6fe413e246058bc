import { useState, type SubmitEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { ButtonRow } from "../../ui/button-row.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import { ErrorPanel } from "../../ui/panels.tsx";
import type { Task } from "../queries.ts";
import { CANCEL_EFFECT } from "../actions.ts";
import { submitOnCtrlEnter } from "../form-actions.tsx";
import { useAct } from "../use-act.ts";

export interface ActionDialogProps {
  readonly task: Task;
  readonly onClose: () => void;
  /** Called with what was done. */
  readonly onDone: (text: string) => void;
}

export function CancelDialog({ task, onClose, onDone }: ActionDialogProps) {
  const [reason, setReason] = useState("");
  const { act, error, isPending } = useAct(task.taskId, (text) => {
    onClose();
    onDone(text);
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    act({ kind: "cancel", body }, "The task was cancelled.");
  }

  return (
    <Dialog title="Cancel the task?" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        <p>{CANCEL_EFFECT}</p>
        <TextArea
          label="Reason (optional)"
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
        />
        {error && <ErrorPanel error={error} />}
        <ButtonRow>
          <Button onClick={onClose}>Keep the task</Button>
          <Button kind="danger" type="submit" disabled={isPending}>
            {isPending ? "Cancelling …" : "Cancel the task"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}
