import { useState, type SubmitEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { ButtonRow } from "../../ui/button-row.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, TextArea } from "../../ui/field.tsx";
import { ErrorPanel } from "../../ui/panels.tsx";
import type { ActionDialogProps } from "./cancel-dialog.tsx";
import { submitOnCtrlEnter } from "../form-actions.tsx";
import { useAct } from "../use-act.ts";

/** The key of the context under which a hint for the next attempt is stored. */
const HINT_KEY = "retryHint";

export function RetryDialog({ task, onClose, onDone }: ActionDialogProps) {
  const [reassign, setReassign] = useState(false);
  const [hint, setHint] = useState("");
  const { act, error, isPending } = useAct(task.taskId, (text) => {
    onClose();
    onDone(text);
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const context = hint.trim() === "" ? {} : { context: { [HINT_KEY]: hint.trim() } };
    act(
      { kind: "retry", body: { reassign, ...context } },
      `Attempt ${task.attempt + 1} was created.`,
    );
  }

  return (
    <Dialog title="Retry the task" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        <p>
          The new attempt starts without the failed attempt's progress, files, answers and review
          comments. Earlier costs still count towards the budget.
        </p>
        <TextArea
          label="What should the agent do differently? (optional)"
          hint={`The agent reads your text in the task's context, under “${HINT_KEY}”.`}
          autoFocus
          value={hint}
          onChange={(event) => setHint(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
        />
        <Checkbox
          label="Assign another agent"
          hint="The best agent that has not tried the task yet."
          checked={reassign}
          onChange={(event) => setReassign(event.target.checked)}
        />
        {error && <ErrorPanel error={error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isPending}>
            {isPending ? "Retrying …" : "Retry"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}
