import { useState, type SubmitEvent } from "react";
import { problemAt } from "../api/problems.ts";
import { AgentIdField, TeamIdField } from "../agents/id-fields.tsx";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Checkbox, SelectField, TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import { ShownSecret } from "../ui/shown-secret.tsx";
import { EMPTY_KEY, keyBody, type KeyDraft } from "./key-form.ts";
import { LimitFields } from "./limit-fields.tsx";
import { useCreateKey } from "./queries.ts";
import { ScopeFields } from "./scope-fields.tsx";

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const create = useCreateKey();
  return (
    <Dialog
      title={create.data ? "Key created" : "Create a key"}
      isDismissible={create.data === undefined}
      onClose={onClose}
    >
      {create.data === undefined ? (
        <NewKeyForm create={create} onClose={onClose} />
      ) : (
        <div className="grid gap-4">
          <p>
            <bdi className="font-medium">{create.data.name}</bdi> is ready to use.
          </p>
          <ShownSecret what="key" secret={create.data.key} />
          <p className="text-muted text-sm">
            Send it in the header <code>Authorization: Bearer …</code>. If you lose it, revoke it
            and create another one.
          </p>
          <ButtonRow>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </ButtonRow>
        </div>
      )}
    </Dialog>
  );
}

function NewKeyForm({
  create,
  onClose,
}: {
  readonly create: ReturnType<typeof useCreateKey>;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState<KeyDraft>(EMPTY_KEY);
  const change = (part: Partial<KeyDraft>): void => setDraft({ ...draft, ...part });
  const { error } = create;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    create.mutate(keyBody(draft, Date.now()));
  }
  const scopesProblem = problemAt(error, "scopes");

  return (
    <form onSubmit={submit} onInput={forgetError(create)} className="grid gap-4">
      <TextField
        label="Name"
        hint="What the key is for"
        required
        autoFocus
        value={draft.name}
        error={problemAt(error, "name")}
        onChange={(event) => change({ name: event.target.value })}
      />
      <ScopeFields
        scopes={draft.scopes}
        isBound={draft.boundTo !== "nothing"}
        error={
          scopesProblem &&
          (draft.scopes.length === 0 ? "Choose at least one scope." : scopesProblem)
        }
        onChange={(scopes) => change({ scopes })}
      />
      <SelectField
        label="Bound to"
        hint="A bound key sees only the resources of its agent or team."
        value={draft.boundTo}
        onChange={({ target: { value } }) =>
          change({ boundTo: value === "agent" || value === "team" ? value : "nothing" })
        }
      >
        <option value="nothing">Nothing (the key sees everything)</option>
        <option value="agent">An agent</option>
        <option value="team">A team</option>
      </SelectField>
      {draft.boundTo === "agent" && (
        <AgentIdField
          label="Agent"
          required
          value={draft.boundId}
          error={problemAt(error, "agentId")}
          onChange={(event) => change({ boundId: event.target.value })}
        />
      )}
      {draft.boundTo === "team" && (
        <TeamIdField
          label="Team"
          required
          value={draft.boundId}
          error={problemAt(error, "teamId")}
          onChange={(event) => change({ boundId: event.target.value })}
        />
      )}
      <SelectField
        label="Expires"
        hint="A key never outlives the key that creates it."
        value={draft.expiry}
        error={draft.expiry === "date" ? undefined : problemAt(error, "expiresAt")}
        onChange={(event) => change({ expiry: event.target.value })}
      >
        <option value="none">When your key expires, if it does</option>
        <option value="7">In 7 days</option>
        <option value="30">In 30 days</option>
        <option value="90">In 90 days</option>
        <option value="365">In a year</option>
        <option value="date">On a date</option>
      </SelectField>
      {draft.expiry === "date" && (
        <TextField
          label="Expiry date (in your time zone)"
          type="datetime-local"
          required
          value={draft.expiryDate}
          error={problemAt(error, "expiresAt")}
          onChange={(event) => change({ expiryDate: event.target.value })}
        />
      )}
      <Checkbox
        label="Tool calls only under a task"
        hint="Calls outside a task are rejected. Recommended for workers."
        checked={draft.requireTask}
        onChange={(event) => change({ requireTask: event.target.checked })}
      />
      <details>
        <summary className="py-1 font-medium">Limits</summary>
        <div className="pt-2">
          <LimitFields
            texts={draft.limits}
            error={error}
            onChange={(limits) => change({ limits })}
          />
        </div>
      </details>
      {error && <ErrorPanel error={error} />}
      <ButtonRow>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={create.isPending}>
          {create.isPending ? "Creating …" : "Create"}
        </Button>
      </ButtonRow>
    </form>
  );
}
