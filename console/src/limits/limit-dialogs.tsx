import { useState, type SubmitEvent } from "react";
import { curlFor } from "../api/curl.ts";
import { problemAt } from "../api/problems.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { Command, ErrorPanel } from "../ui/panels.tsx";
import { SpendingLimitFields } from "./limit-fields.tsx";
import {
  createLimitBodyOf,
  limitDraftOf,
  newLimitDraft,
  putLimitBodyOf,
  type LimitDraft,
} from "./limit-form.ts";
import { useCreateLimit, useDeleteLimit, usePutLimit, type Limit } from "./queries.ts";

export function NewLimitDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(() =>
    newLimitDraft(Intl.DateTimeFormat().resolvedOptions().timeZone),
  );
  const create = useCreateLimit();
  const body = createLimitBodyOf(draft);
  return (
    <Dialog title="Create a limit" onClose={onClose}>
      <LimitForm
        draft={draft}
        mutation={create}
        command={curlFor("POST", "/agents/limits", body)}
        onChange={setDraft}
        onSubmit={() => create.mutate(body, { onSuccess: onClose })}
        onClose={onClose}
      />
    </Dialog>
  );
}

export function EditLimitDialog({
  limit,
  onClose,
}: {
  readonly limit: Limit;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => limitDraftOf(limit));
  const put = usePutLimit(limit.id);
  const body = putLimitBodyOf(draft);
  return (
    <Dialog title="Edit the limit" onClose={onClose}>
      <p className="text-muted pb-4">
        The use so far stays counted, unless you change what the limit covers or counts, its period
        or its time zone.
      </p>
      <LimitForm
        draft={draft}
        isStored
        mutation={put}
        command={curlFor("PUT", `/agents/limits/${limit.id}`, body)}
        onChange={setDraft}
        onSubmit={() => put.mutate(body, { onSuccess: onClose })}
        onClose={onClose}
      />
    </Dialog>
  );
}

export function DeleteLimitDialog({
  limit,
  onClose,
}: {
  readonly limit: Limit;
  readonly onClose: () => void;
}) {
  const remove = useDeleteLimit(limit.id);
  return (
    <ConfirmDialog
      title={
        <>
          Delete <bdi>{limit.name}</bdi>?
        </>
      }
      confirm="Delete the limit"
      mutation={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>From the next call on, this limit rejects nothing and counts nothing.</p>
      <AsCommand command={curlFor("DELETE", `/agents/limits/${limit.id}`)} />
    </ConfirmDialog>
  );
}

function LimitForm({
  draft,
  isStored = false,
  mutation,
  command,
  onChange,
  onSubmit,
  onClose,
}: {
  readonly draft: LimitDraft;
  readonly isStored?: boolean;
  readonly mutation: {
    readonly error: Error | null;
    readonly isError: boolean;
    readonly isPending: boolean;
    readonly reset: () => void;
  };
  readonly command: string;
  readonly onChange: (draft: LimitDraft) => void;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}) {
  const { error, isPending } = mutation;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    onSubmit();
  }

  return (
    <form onSubmit={submit} onInput={forgetError(mutation)} className="grid gap-4">
      {!isStored && (
        <TextField
          label="Id"
          hint="It cannot be changed later."
          required
          spellCheck={false}
          placeholder="daily-spend"
          value={draft.id}
          error={problemAt(error, "id")}
          onChange={(event) => onChange({ ...draft, id: event.target.value })}
        />
      )}
      <SpendingLimitFields draft={draft} error={error} onChange={onChange} />
      <AsCommand command={command} />
      {error && <ErrorPanel error={error} />}
      <ButtonRow>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isPending}>
          {isPending ? "Saving …" : isStored ? "Save" : "Create"}
        </Button>
      </ButtonRow>
    </form>
  );
}

/** The command that does the same as the form. */
function AsCommand({ command }: { readonly command: string }) {
  return (
    <details className="min-w-0">
      <summary className="py-1 font-medium">As a command</summary>
      <div className="pt-2">
        <Command text={command} />
      </div>
    </details>
  );
}
