import { useState, type SubmitEvent } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { changedLimits, limitTexts } from "./limits.ts";
import { useChangeKey, type Key } from "./queries.ts";

/** Changes the limits of a key, which are all that can be changed. */
export function ChangeKeyDialog({
  chosen,
  onClose,
}: {
  readonly chosen: Key;
  readonly onClose: () => void;
}) {
  const [texts, setTexts] = useState(() => limitTexts(chosen.limits));
  const change = useChangeKey(chosen.id);
  const limits = changedLimits(chosen.limits, texts);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    change.mutate({ limits }, { onSuccess: onClose });
  }

  return (
    <Dialog
      title={
        <>
          Change the limits of <bdi>{chosen.name}</bdi>
        </>
      }
      onClose={onClose}
    >
      <form onSubmit={submit} onInput={forgetError(change)} className="grid gap-4">
        <p className="text-muted">
          An empty field restores the default. The previous limits may apply for ten more seconds.
          Name, scopes and expiry cannot be changed: create a new key instead.
        </p>
        <LimitFields texts={texts} error={change.error} onChange={setTexts} />
        {change.error && <ErrorPanel error={change.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={change.isPending || Object.keys(limits).length === 0}
          >
            {change.isPending ? "Saving …" : "Save"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}
