import { useQuery } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { problemAt } from "../api/problems.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Checkbox, TextArea, TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import {
  agentChanges,
  agentDraft,
  EMPTY_AGENT,
  newAgentBody,
  type AgentDraft,
} from "./agent-form.ts";
import { ExecutorFields } from "./executor-fields.tsx";
import { executorDraft } from "./executor-form.ts";
import { teamsQuery, useChangeAgent, useRegisterAgent, type Agent } from "./queries.ts";

export function NewAgentDialog({
  onCreated,
  onClose,
}: {
  readonly onCreated: (agentId: string) => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(EMPTY_AGENT);
  const register = useRegisterAgent();
  return (
    <Dialog title="Register an agent" onClose={onClose}>
      <AgentForm
        draft={draft}
        agent={null}
        mutation={register}
        submitLabel="Register"
        isUnchanged={false}
        onChange={setDraft}
        onSubmit={() =>
          register.mutate(newAgentBody(draft), { onSuccess: ({ id }) => onCreated(id) })
        }
        onClose={onClose}
      />
    </Dialog>
  );
}

export function EditAgentDialog({
  agent,
  onSaved,
  onClose,
}: {
  readonly agent: Agent;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => agentDraft(agent));
  const change = useChangeAgent(agent.id);
  const body = agentChanges(agent, draft);
  return (
    <Dialog title="Edit the agent" onClose={onClose}>
      <AgentForm
        draft={draft}
        agent={agent}
        mutation={change}
        submitLabel="Save"
        isUnchanged={Object.keys(body).length === 0}
        onChange={setDraft}
        onSubmit={() => change.mutate(body, { onSuccess: onSaved })}
        onClose={onClose}
      />
    </Dialog>
  );
}

function AgentForm({
  draft,
  agent,
  mutation,
  submitLabel,
  isUnchanged,
  onChange,
  onSubmit,
  onClose,
}: {
  readonly draft: AgentDraft;
  /** Null for a new agent. */
  readonly agent: Agent | null;
  readonly mutation: {
    readonly error: Error | null;
    readonly isError: boolean;
    readonly isPending: boolean;
    readonly reset: () => void;
  };
  readonly submitLabel: string;
  readonly isUnchanged: boolean;
  readonly onChange: (draft: AgentDraft) => void;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}) {
  const { error, isPending } = mutation;
  const change = (part: Partial<AgentDraft>): void => onChange({ ...draft, ...part });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    onSubmit();
  }

  return (
    <form onSubmit={submit} onInput={forgetError(mutation)} className="grid gap-4">
      {agent === null && (
        <TextField
          label="Id"
          hint="It cannot be changed or reused."
          required
          spellCheck={false}
          placeholder="data-analyst"
          value={draft.id}
          error={problemAt(error, "id")}
          onChange={(event) => change({ id: event.target.value })}
        />
      )}
      <TextField
        label="Name"
        required={draft.executor.type !== "a2a" || agent !== null}
        value={draft.name}
        error={problemAt(error, "name")}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TextArea
        label="Description"
        hint="What the agent is good at"
        value={draft.description}
        error={problemAt(error, "description")}
        onChange={(event) => change({ description: event.target.value })}
      />
      <TextField
        label="Skills"
        hint="Separated by commas. A task that mentions a skill goes to an agent that has it."
        value={draft.skills}
        error={problemAt(error, "skills")}
        onChange={(event) => change({ skills: event.target.value })}
      />
      <ExecutorFields
        draft={draft.executor}
        stored={agent && executorDraft(agent.executor)}
        error={error}
        onChange={(part) => change({ executor: { ...draft.executor, ...part } })}
      />
      <TeamFields teams={draft.teams} onChange={(teams) => change({ teams })} />
      {problemAt(error, "teams") !== undefined && (
        <p className="text-danger text-sm">{problemAt(error, "teams")}</p>
      )}
      <TextField
        label="Maximum concurrent tasks"
        hint="Further tasks wait in the agent's queue."
        type="number"
        min={1}
        placeholder="No maximum"
        value={draft.maxConcurrentTasks}
        error={problemAt(error, "maxConcurrentTasks")}
        onChange={(event) => change({ maxConcurrentTasks: event.target.value })}
      />
      <Checkbox
        label="Requires review"
        hint="A person must approve the agent's work before a task is completed."
        checked={draft.requireReview}
        onChange={({ target }) => change({ requireReview: target.checked })}
      />
      <Checkbox
        label="Tool calls only under a task"
        hint="Calls outside a task are rejected. Recommended for workers whose tasks have budgets."
        checked={draft.requireTask}
        onChange={({ target }) => change({ requireTask: target.checked })}
      />
      {agent === null && (
        <Checkbox
          label="Enabled: tasks are assigned immediately"
          checked={draft.enabled}
          onChange={({ target }) => change({ enabled: target.checked })}
        />
      )}
      {error && <ErrorPanel error={error} />}
      <ButtonRow>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isPending || isUnchanged}>
          {isPending ? "Saving …" : submitLabel}
        </Button>
      </ButtonRow>
    </form>
  );
}

/** Checkboxes for the teams. Teams of the agent that are not loaded are also shown. */
function TeamFields({
  teams,
  onChange,
}: {
  readonly teams: readonly string[];
  readonly onChange: (teams: readonly string[]) => void;
}) {
  const { data } = useQuery(teamsQuery);
  const names = new Map([
    ...teams.map((id) => [id, id] as const),
    ...(data?.teams.map(({ id, name }) => [id, name] as const) ?? []),
  ]);
  if (names.size === 0) return null;
  return (
    <fieldset className="grid gap-1 sm:grid-cols-2">
      <legend className="pb-1 font-medium">Teams</legend>
      {[...names].map(([id, name]) => (
        <Checkbox
          key={id}
          label={<bdi>{name}</bdi>}
          checked={teams.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? [...teams, id] : teams.filter((one) => one !== id))
          }
        />
      ))}
    </fieldset>
  );
}
