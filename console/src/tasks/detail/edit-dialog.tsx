import { useState, type SubmitEvent } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { PRIORITIES } from "../filters.ts";
import type { ActionDialogProps } from "./cancel-dialog.tsx";
import { fromLocalInput, toLocalInput } from "./date-input.ts";
import { FormActions, submitOnCtrlEnter } from "../form-actions.tsx";
import { useChangeTask } from "./queries.ts";

export function EditDialog({ task, onClose, onDone }: ActionDialogProps) {
  // What the person saw when the form opened. The task may change while the form is open.
  const [seen] = useState(task);
  const [priority, setPriority] = useState(seen.priority);
  const [deadline, setDeadline] = useState(toLocalInput(seen.deadline));
  const [notes, setNotes] = useState("");
  const change = useChangeTask(seen);
  const changes = {
    ...(priority !== seen.priority && { priority }),
    ...(deadline !== toLocalInput(seen.deadline) &&
      deadline !== "" && { deadline: fromLocalInput(deadline) }),
    ...(notes.trim() !== "" && { notes: notes.trim() }),
  };
  const isChanged = Object.keys(changes).length > 0;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!isChanged) return;
    const onSuccess = (): void => {
      onClose();
      onDone("The task was changed.");
    };
    change.mutate(changes, { onSuccess });
  }

  return (
    <Dialog title="Edit the task" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        <SelectField
          label="Priority"
          value={priority}
          onChange={({ target }) => {
            const chosen = PRIORITIES.find((one) => one === target.value);
            if (chosen) setPriority(chosen);
          }}
        >
          {PRIORITIES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Deadline"
          type="datetime-local"
          step={60}
          value={deadline}
          required={seen.deadline !== undefined}
          onChange={(event) => setDeadline(event.target.value)}
          hint={`In your time zone (${Intl.DateTimeFormat().resolvedOptions().timeZone}). The task fails at the deadline if it has not ended.`}
        />
        <TextArea
          label="Add a note"
          hint={seen.notes === undefined ? "Notes are for people and agents." : undefined}
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
          maxLength={10_000}
        />
        <FormActions error={change.error}>
          <Button kind="primary" type="submit" disabled={change.isPending || !isChanged}>
            {change.isPending ? "Saving …" : "Save"}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormActions>
      </form>
    </Dialog>
  );
}
