import { useState, type SubmitEvent } from "react";
import { AgentSelect } from "../../agents/agent-select.tsx";
import { ApiError } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { ButtonRow } from "../../ui/button-row.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { ErrorPanel } from "../../ui/panels.tsx";
import { forgetError } from "../../ui/forget-error.ts";
import { BudgetFields } from "../budget-fields.tsx";
import { PRIORITIES, PRIORITY_LABELS } from "../filters.ts";
import type { ActionDialogProps } from "./cancel-dialog.tsx";
import { submitOnCtrlEnter } from "../form-actions.tsx";
import { awaitedAgentOf } from "./explain-wait.ts";
import { useChangeTask } from "./queries.ts";
import { canChangeAgent, toChanges, toEditFields, type EditFields } from "./task-changes.ts";

export function EditDialog({
  task,
  only,
  onClose,
  onDone,
}: ActionDialogProps & {
  /** The only field that the form shows; if absent, the form shows all fields. */
  readonly only?: "agentId" | "priority";
}) {
  // What the person saw when the form opened. The task may change while the form is open.
  const [seen] = useState(task);
  const [fields, setFields] = useState(() => toEditFields(seen));
  const change = useChangeTask(seen);
  const changes = toChanges(seen, fields);
  const isChanged = Object.keys(changes).length > 0;
  const isShown = (name: keyof EditFields): boolean => only === undefined || only === name;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!isChanged) return;
    const onSuccess = (): void => {
      onClose();
      onDone("The task was changed.");
    };
    change.mutate(changes, { onSuccess });
  }

  /** What a control of a field needs. `path`: the field's name in the API. */
  function control(name: Exclude<keyof EditFields, "priority">, path: string = name) {
    return {
      value: fields[name],
      onChange: (event: { readonly target: { readonly value: string } }) =>
        setFields({ ...fields, [name]: event.target.value }),
      error:
        change.error instanceof ApiError
          ? change.error.problems.find((one) => one.path === path)?.message
          : undefined,
    };
  }

  return (
    <Dialog title={titleFor(seen, only)} onClose={onClose}>
      <form onSubmit={submit} onInput={forgetError(change)} className="grid gap-3">
        {isShown("title") && (
          <TextField
            label="Title"
            hint="If empty, the first line of the task is shown."
            {...control("title")}
          />
        )}
        {isShown("agentId") && canChangeAgent(seen) && (
          <AgentSelect
            label="Agent"
            name="agentId"
            current={{ id: seen.agentId ?? "", name: seen.agentName }}
            hint="You can change the agent until it starts the task or a worker claims it."
            {...control("agentId")}
          />
        )}
        {isShown("priority") && (
          <SelectField
            label="Priority"
            name="priority"
            value={fields.priority}
            onChange={({ target }) => {
              const priority = PRIORITIES.find((one) => one === target.value);
              if (priority) setFields({ ...fields, priority });
            }}
          >
            {PRIORITIES.map((one) => (
              <option key={one} value={one}>
                {PRIORITY_LABELS[one]}
              </option>
            ))}
          </SelectField>
        )}
        {only === undefined && (
          <>
            <TextField
              label="Deadline"
              type="datetime-local"
              step={60}
              required={seen.deadline !== undefined}
              hint={`In your time zone (${Intl.DateTimeFormat().resolvedOptions().timeZone}). The task fails at the deadline if it has not ended.`}
              {...control("deadline")}
            />
            <BudgetFields
              maxCost={control("maxCost", "budget.maxCost")}
              maxToolCalls={control("maxToolCalls", "budget.maxToolCalls")}
              maxMinutes={control("maxMinutes", "budget.maxDurationSeconds")}
            />
            <TextArea
              label="Add a note"
              hint={seen.notes === undefined ? "Notes are for people and agents." : undefined}
              onKeyDown={submitOnCtrlEnter}
              {...control("notes")}
            />
          </>
        )}
        {change.error && <ErrorPanel error={change.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={change.isPending || !isChanged}>
            {change.isPending ? "Saving …" : "Save"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}

function titleFor(task: ActionDialogProps["task"], only?: "agentId" | "priority"): string {
  if (only === "priority") return "Change the priority";
  if (only === undefined) return "Edit the task";
  return awaitedAgentOf(task) === undefined ? "Choose an agent" : "Give the task to another agent";
}
