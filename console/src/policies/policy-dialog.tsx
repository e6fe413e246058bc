import { useState, type SubmitEvent } from "react";
import { problemAt } from "../api/problems.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Checkbox, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import { ConditionEditor } from "./condition-editor.tsx";
import { readCondition } from "./condition-form.ts";
import {
  draftOfPolicy,
  EFFECT_LABELS,
  EFFECTS,
  EMPTY_POLICY,
  policyBody,
  type Policy,
  type PolicyDraft,
} from "./policy-form.ts";
import { PolicyTest } from "./policy-test.tsx";
import { useSavePolicy } from "./queries.ts";

/** Creates a policy, or replaces `policy`. */
export function PolicyDialog({
  policy,
  onClose,
}: {
  readonly policy: Policy | null;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(() =>
    policy === null ? EMPTY_POLICY : draftOfPolicy(policy),
  );
  const [isChecked, setIsChecked] = useState(false);
  const save = useSavePolicy();
  const change = (part: Partial<PolicyDraft>): void => setDraft({ ...draft, ...part });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    setIsChecked(true);
    const read = readCondition(draft.condition);
    if (!read.ok) return;
    const body = policyBody(draft, read.when);
    save.mutate({ id: draft.id.trim(), isNew: policy === null, body }, { onSuccess: onClose });
  }

  return (
    <Dialog title={policy === null ? "Create a policy" : "Edit the policy"} onClose={onClose}>
      <form onSubmit={submit} onInput={forgetError(save)} className="grid gap-4 [&>*]:min-w-0">
        {policy === null && (
          <TextField
            label="Id"
            hint="It cannot be changed later."
            required
            spellCheck={false}
            placeholder="large-transfers"
            value={draft.id}
            error={problemAt(save.error, "id")}
            onChange={({ target }) => change({ id: target.value })}
          />
        )}
        <TextField
          label="Name"
          required
          value={draft.name}
          error={problemAt(save.error, "name")}
          onChange={({ target }) => change({ name: target.value })}
        />
        <SelectField
          label="Effect"
          value={draft.effect}
          hint={EFFECT_HINTS[draft.effect]}
          error={problemAt(save.error, "effect")}
          onChange={({ target }) =>
            change({ effect: EFFECTS.find((one) => one === target.value) ?? "ask" })
          }
        >
          {EFFECTS.map((effect) => (
            <option key={effect} value={effect}>
              {EFFECT_LABELS[effect]}
            </option>
          ))}
        </SelectField>
        <TextArea
          label="Tools and capabilities"
          required
          spellCheck={false}
          className="font-mono"
          hint="One per line: bank, bank/transfer, or * for all tools."
          value={draft.tools}
          error={problemAt(save.error, "tools")}
          onChange={({ target }) => change({ tools: target.value })}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextArea
            label="Agents"
            spellCheck={false}
            hint="Ids, one per line. If there are no agents and teams, the policy covers every call."
            value={draft.agents}
            error={problemAt(save.error, "agents")}
            onChange={({ target }) => change({ agents: target.value })}
          />
          <TextArea
            label="Teams"
            spellCheck={false}
            hint="Ids, one per line."
            value={draft.teams}
            error={problemAt(save.error, "teams")}
            onChange={({ target }) => change({ teams: target.value })}
          />
        </div>
        <ConditionEditor
          draft={draft.condition}
          isChecked={isChecked}
          problem={problemAt(save.error, "when")}
          onChange={(condition) => change({ condition })}
        />
        <TextField
          label="Reason"
          required
          hint="Callers see it."
          value={draft.reason}
          error={problemAt(save.error, "reason")}
          onChange={({ target }) => change({ reason: target.value })}
        />
        {draft.effect === "ask" && (
          <ApprovalFields draft={draft} error={save.error} change={change} />
        )}
        <Checkbox
          label="In force"
          checked={draft.enabled}
          onChange={({ target }) => change({ enabled: target.checked })}
        />
        <PolicyTest draft={draft} onInvalid={() => setIsChecked(true)} />
        {save.error && <ErrorPanel error={save.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={save.isPending}>
            {save.isPending ? "Saving …" : policy === null ? "Create" : "Save"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}

const EFFECT_HINTS = {
  deny: "A denial wins over all other policies.",
  ask: "The call is stored, and made after people have approved it.",
  allow: "This is also what happens without a policy, so it never overrides another effect.",
} as const;

/** The fields that matter only if people must approve. */
function ApprovalFields({
  draft,
  error,
  change,
}: {
  readonly draft: PolicyDraft;
  readonly error: Error | null;
  readonly change: (part: Partial<PolicyDraft>) => void;
}) {
  return (
    <fieldset className="border-border grid min-w-0 gap-3 rounded-md border p-3 sm:grid-cols-2">
      <legend className="px-1 font-medium">Approval</legend>
      <SelectField
        label="Keys that must approve"
        value={draft.approvals}
        error={problemAt(error, "approvals")}
        onChange={({ target }) => change({ approvals: target.value === "2" ? 2 : 1 })}
      >
        <option value={1}>One</option>
        <option value={2}>Two different ones</option>
      </SelectField>
      <TextField
        label="Expires after"
        required
        hint="From 1m to 30d. Then, the call is denied."
        value={draft.expiresAfter}
        error={problemAt(error, "expiresAfter")}
        onChange={({ target }) => change({ expiresAfter: target.value })}
      />
      <TextField
        label="Remember"
        required
        hint="none, task, or a duration such as 1h, in which equal calls need no approval."
        value={draft.remember}
        error={problemAt(error, "remember")}
        onChange={({ target }) => change({ remember: target.value })}
      />
      <TextArea
        label="Approvers"
        spellCheck={false}
        hint="Ids of keys, one per line. If there are none, every key with the scope approvals:decide."
        value={draft.approvers}
        error={problemAt(error, "approvers")}
        onChange={({ target }) => change({ approvers: target.value })}
      />
    </fieldset>
  );
}
