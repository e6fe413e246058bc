import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FileUp, X } from "lucide-react";
import { useId, useState, type ReactNode, type SubmitEvent } from "react";
import { AgentSelect } from "../agents/agent-select.tsx";
import { TeamIdField } from "../agents/id-fields.tsx";
import { agentChoicesQuery, teamsQuery } from "../agents/queries.ts";
import { api, ApiError, dataOf } from "../api/client.ts";
import { useIdempotencyKeys } from "../api/idempotency-key.ts";
import { useHasScope } from "../session/identity.ts";
import { ButtonRow } from "../ui/button-row.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import { BudgetFields } from "./budget-fields.tsx";
import { PRIORITIES, PRIORITY_LABELS } from "./filters.ts";
import {
  EMPTY_FIELDS,
  toNewTask,
  type ContextFile,
  type NewTask,
  type NewTaskFields,
} from "./new-task.ts";

/** Creates a task and opens its page. `initial`: the initial contents of the form. */
export function NewTaskDialog({
  title = "Create a task",
  initial = EMPTY_FIELDS,
  note,
  onClose,
}: {
  readonly title?: string;
  readonly initial?: NewTaskFields;
  readonly note?: ReactNode;
  readonly onClose: () => void;
}) {
  const [fields, setFields] = useState(initial);
  const [problem, setProblem] = useState<{ field: keyof NewTaskFields; problem: string } | null>(
    null,
  );
  const mayListAgents = useHasScope("agents:manage");
  const { data: agents = [] } = useQuery({ ...agentChoicesQuery, enabled: mayListAgents });
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { keyFor } = useIdempotencyKeys();
  const create = useMutation({
    mutationFn: (body: NewTask) => {
      const header = { "Idempotency-Key": keyFor(body) };
      return dataOf(api.POST("/agents/tasks", { params: { header }, body }));
    },
    onSuccess: async ({ taskId }) => {
      onClose();
      await navigate({ to: "/tasks/$taskId", params: { taskId } });
      await queryClient.invalidateQueries({ queryKey: ["tasks"] });
    },
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const parsed = toNewTask(fields);
    setProblem(parsed.ok ? null : parsed);
    if (parsed.ok) create.mutate(parsed.body);
  }

  function change(part: Partial<NewTaskFields>): void {
    setFields((current) => ({ ...current, ...part }));
  }

  /** What a control of a field needs. */
  function control<Name extends Exclude<keyof NewTaskFields, "files" | "priority">>(name: Name) {
    return {
      value: fields[name],
      onChange: (event: { readonly target: { readonly value: string } }) =>
        change({ [name]: event.target.value }),
      error: errorOf(name),
    };
  }
  function errorOf(name: keyof NewTaskFields): string | undefined {
    if (problem?.field === name) return problem.problem;
    if (!(create.error instanceof ApiError)) return undefined;
    return create.error.problems.find(({ path }) => fieldOfPath(path) === name)?.message;
  }
  const { data: listed } = useQuery({ ...teamsQuery, enabled: mayListAgents });
  const teamNames = new Map([
    ...[initial.teamId, ...agents.flatMap(({ teams }) => teams)].map((id) => [id, id] as const),
    ...(listed?.teams.map(({ id, name }) => [id, name] as const) ?? []),
  ]);

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={submit}
        onInput={() => {
          setProblem(null);
          forgetError(create)();
        }}
        className="grid gap-3"
      >
        {note !== undefined && <p className="text-muted">{note}</p>}
        <TextArea label="What should be done?" required autoFocus rows={3} {...control("task")} />
        <TextField
          label="Title"
          hint="A short name for lists. If empty, the first line of the task is shown."
          {...control("title")}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <AgentSelect
            label="Agent"
            name="agentId"
            current={{ id: initial.agentId }}
            none="Bosun chooses"
            {...control("agentId")}
          />
          {mayListAgents ? (
            <SelectField label="Team" {...control("teamId")}>
              <option value="">Any team</option>
              {[...teamNames]
                .filter(([id]) => id !== "")
                .map(([id, name]) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
            </SelectField>
          ) : (
            <TeamIdField
              label="Team"
              hint="The team's id. If empty: any team."
              {...control("teamId")}
            />
          )}
          <SelectField
            label="Priority"
            value={fields.priority}
            onChange={(event) => {
              const priority = PRIORITIES.find((one) => one === event.target.value);
              if (priority !== undefined) change({ priority });
            }}
          >
            {PRIORITIES.map((one) => (
              <option key={one} value={one}>
                {PRIORITY_LABELS[one]}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Deadline"
            type="datetime-local"
            hint={`In your time zone (${Intl.DateTimeFormat().resolvedOptions().timeZone}).`}
            {...control("deadline")}
          />
        </div>
        <TextField
          label="Deliverables"
          placeholder="report, chart"
          hint="Kinds of file, separated by commas, such as report, chart."
          {...control("deliverables")}
        />
        <Files
          files={fields.files}
          error={problem?.field === "files" ? problem.problem : undefined}
          onChange={(update) =>
            setFields((current) => ({ ...current, files: update(current.files) }))
          }
        />
        <details className="grid gap-3" open={hasDetails(initial)}>
          <summary className="font-medium">Context, labels and budget</summary>
          <div className="mt-3 grid gap-3">
            <TextArea
              label="Context"
              className="font-mono"
              placeholder='{"text": "…"}'
              hint="The input for the agent, as a JSON object."
              {...control("context")}
            />
            <TextArea
              label="Labels"
              placeholder={"customer:acme\nteam:blue"}
              hint="One per line, as key:value."
              {...control("labels")}
            />
            <BudgetFields
              maxCost={control("maxCost")}
              maxToolCalls={control("maxToolCalls")}
              maxMinutes={control("maxMinutes")}
            />
          </div>
        </details>
        {create.error && <ErrorPanel error={create.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={create.isPending}>
            {create.isPending ? "Creating …" : "Create the task"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}

/** The form's field for the path of an API problem, such as `budget.maxCost` or `labels.team`. */
function fieldOfPath(path: string): string {
  const [first = "", second = ""] = path.split(/[.[]/);
  if (first !== "budget") return first;
  return second === "maxDurationSeconds" ? "maxMinutes" : second;
}

/** Whether the fields that are initially hidden have values. */
function hasDetails({ context, labels, maxCost, maxToolCalls, maxMinutes }: NewTaskFields) {
  return [context, labels, maxCost, maxToolCalls, maxMinutes].some((text) => text !== "");
}

/** CSV and text files for the context, chosen or dropped. */
function Files({
  files,
  error,
  onChange,
}: {
  readonly files: readonly ContextFile[];
  readonly error: string | undefined;
  /** Gets what changes the current files, because reading a file takes time. */
  readonly onChange: (update: (files: readonly ContextFile[]) => readonly ContextFile[]) => void;
}) {
  const id = useId();
  async function add(list: FileList | null): Promise<void> {
    const added = await Promise.all(
      [...(list ?? [])].map(async (file) => ({ name: file.name, text: await file.text() })),
    );
    onChange((current) => [...current, ...added]);
  }
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        Files
      </label>
      <div
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void add(event.dataTransfer.files);
        }}
        className="border-border-strong/60 flex flex-wrap items-center gap-2 rounded-md border border-dashed p-3"
      >
        <FileUp aria-hidden className="text-muted size-4" />
        <span className="text-muted">Drop a CSV or text file here, or choose one:</span>
        <input
          id={id}
          type="file"
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          accept=".csv,.txt,.md,text/*"
          className="max-w-full"
          onChange={(event) => {
            void add(event.target.files);
            event.target.value = "";
          }}
        />
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className="text-danger text-sm">
          {error}
        </p>
      )}
      {files.map(({ name, text }, index) => (
        <p key={`${name} ${index}`} className="flex items-center gap-2">
          <span className="truncate">
            <bdi>{name}</bdi> ({text.length.toLocaleString("en")} characters)
          </span>
          <IconButton
            label={`Remove ${name}`}
            onClick={() => onChange((current) => current.filter((_, other) => other !== index))}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </p>
      ))}
    </div>
  );
}
