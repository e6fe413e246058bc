import { useRef, useState, type SubmitEvent } from "react";
import type { Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { FormActions, Key, submitOnCtrlEnter } from "./form-actions.tsx";
import { useAct } from "./use-act.ts";

type Decision = Schemas["ReviewTaskBody"]["decision"];

const DONE: Readonly<Record<Decision, string>> = {
  approve: "Work approved. The task is completed.",
  request_changes: "Changes requested. The agent can continue.",
  reject: "Work rejected. The attempt has failed, and you can retry the task.",
};

/**
 * Decides on a task's submitted work. Requested changes need a comment. The view's shortcuts press the controls with
 * `data-key`.
 */
export function ReviewForm({
  taskId,
  onDone,
}: {
  readonly taskId: string;
  /** Called with what was done. */
  readonly onDone?: (text: string) => void;
}) {
  const [comment, setComment] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const [isRejecting, setIsRejecting] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { act, error, isPending } = useAct(taskId, onDone);
  const text = comment.trim();

  function decide(decision: Decision): void {
    const body = { decision, ...(text !== "" && { comment: text }) };
    if (!isPending) act({ kind: "review", body }, DONE[decision]);
  }
  function requestChanges(event: SubmitEvent): void {
    event.preventDefault();
    setIsMissing(text === "");
    if (text === "") field.current?.focus();
    else decide("request_changes");
  }

  return (
    <form onSubmit={requestChanges} className="grid gap-2">
      <TextArea
        ref={field}
        label="Comment"
        data-key="r"
        rows={2}
        dir="auto"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={submitOnCtrlEnter}
        hint="Required if you request changes. Ctrl+Enter requests them."
        error={isMissing && text === "" && "Write what the agent should change."}
      />
      <FormActions error={error}>
        <Button data-key="a" kind="primary" disabled={isPending} onClick={() => decide("approve")}>
          Approve <Key>a</Key>
        </Button>
        <Button data-key="d" type="submit" disabled={isPending}>
          Request changes <Key>d</Key>
        </Button>
        <Button kind="danger" disabled={isPending} onClick={() => setIsRejecting(true)}>
          Reject …
        </Button>
        {isPending && <span role="status">Sending …</span>}
      </FormActions>
      {isRejecting && (
        <ConfirmDialog
          title="Reject the work?"
          confirm="Reject the work"
          onConfirm={() => decide("reject")}
          onClose={() => setIsRejecting(false)}
        >
          <p>
            The attempt fails, and its result and files are hidden. You can retry the task with the
            same or another agent.
          </p>
          <p>
            {text === ""
              ? "You have not written a comment."
              : "Your comment becomes the error message of the attempt."}
          </p>
        </ConfirmDialog>
      )}
    </form>
  );
}
