import { useState, type SubmitEvent } from "react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { curlFor } from "../api/curl.ts";
import { identityQuery } from "../session/identity.ts";
import { FormActions, Key } from "../tasks/form-actions.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { TextArea } from "../ui/field.tsx";
import { useDecide, type Approval, type Decision } from "./queries.ts";
import { missingApprovals } from "./status.ts";

const MESSAGE_CHARACTERS_MAX = 1_000;

/** Approves or denies a call. The view's shortcuts press the controls with `data-key`. */
export function DecisionForm({
  approval,
  onDone,
}: {
  readonly approval: Approval;
  /** Called with what was done. */
  readonly onDone?: (text: string) => void;
}) {
  const { id } = approval;
  const [message, setMessage] = useState("");
  const { mutateAsync, error, isPending } = useDecide(id);
  const { data: identity } = useSuspenseQuery(identityQuery);
  const hasApproved = approval.decisions.some(({ by }) => by === identity?.key.id);
  const missing = missingApprovals(approval);

  function decide(decision: Decision): void {
    if (isPending) return;
    mutateAsync({ decision, message: message.trim() }).then(
      ({ status }) => onDone?.(DONE[status === "pending" ? "waits" : decision]),
      // `error` shows why.
      () => undefined,
    );
  }
  return (
    <form onSubmit={(event: SubmitEvent) => event.preventDefault()} className="grid gap-2">
      {hasApproved ? (
        <p role="status">You have approved this call. Another key must approve it, too.</p>
      ) : (
        missing > 1 && <p>{missing} different keys must approve this call.</p>
      )}
      <TextArea
        label="Message (optional)"
        data-key="r"
        rows={2}
        dir="auto"
        maxLength={MESSAGE_CHARACTERS_MAX}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Escape") currentTarget.blur();
        }}
        hint="The agent sees the message of a denial."
      />
      <FormActions error={error}>
        {!hasApproved && (
          <Button
            data-key="a"
            kind="primary"
            disabled={isPending}
            onClick={() => decide("approve")}
          >
            Approve <Key>a</Key>
          </Button>
        )}
        <Button data-key="d" kind="danger" disabled={isPending} onClick={() => decide("deny")}>
          Deny <Key>d</Key>
        </Button>
        {isPending && <span role="status">Sending …</span>}
        <span className="ml-auto">
          <CopyButton
            text={curlFor("POST", `/agents/approvals/${id}/approve`, {})}
            label="Copy the curl command"
          />
        </span>
      </FormActions>
    </form>
  );
}

const DONE = {
  approve: "Call approved. The service makes it now.",
  deny: "Call denied. It is not made.",
  waits: "You have approved the call. Another key must approve it, too.",
} as const;
