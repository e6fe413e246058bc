import { useRef, useState, type SubmitEvent } from "react";
import { useShortcuts } from "../../layout/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import type { Schemas } from "../../api/client.ts";
import type { Task } from "../queries.ts";
import { FormActions, Key, submitOnCtrlEnter } from "./form-actions.tsx";
import { useAct } from "./use-act.ts";

type Decision = Schemas["ReviewTaskBody"]["decision"];

const DONE: Readonly<Record<Decision, string>> = {
  approve: "The work was approved. The task is completed.",
  request_changes: "The changes were requested. The agent continues.",
  reject: "The work was rejected. The attempt has failed and can be retried.",
};

/** Decides about the work of a task in review. */
export function ReviewForm({
  task,
  onDone,
}: {
  readonly task: Task;
  readonly onDone: (text: string) => void;
}) {
  const [comment, setComment] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const [isRejecting, setIsRejecting] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { act, error, isPending } = useAct(task.taskId, onDone);

  function decide(decision: Decision): void {
    if (isPending) return;
    const text = comment.trim();
    const body = { decision, ...(text !== "" && { comment: text }) };
    act({ kind: "review", body }, DONE[decision]);
  }

  /** The agent can only follow a request that says what to change. */
  function requestChanges(): void {
    const isEmpty = comment.trim() === "";
    setIsMissing(isEmpty);
    if (isEmpty) field.current?.focus();
    else decide("request_changes");
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    requestChanges();
  }

  useShortcuts([
    { keys: "a", label: "Approve the work", run: () => decide("approve") },
    { keys: "d", label: "Request changes", run: requestChanges },
    { keys: "r", label: "Write a comment on the work", run: () => field.current?.focus() },
  ]);
  return (
    <form onSubmit={submit} className="grid gap-2">
      <TextArea
        ref={field}
        label="Comment"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={submitOnCtrlEnter}
        maxLength={5_000}
        dir="auto"
        hint="Required if you request changes. Ctrl+Enter requests changes."
        error={isMissing && comment.trim() === "" ? "Write what the agent should change." : null}
      />
      <FormActions error={isRejecting ? null : error}>
        <Button kind="primary" disabled={isPending} onClick={() => decide("approve")}>
          Approve <Key>a</Key>
        </Button>
        <Button type="submit" disabled={isPending}>
          Request changes <Key>d</Key>
        </Button>
        <Button kind="danger" disabled={isPending} onClick={() => setIsRejecting(true)}>
          Reject …
        </Button>
        {isPending && <span role="status">Sending …</span>}
      </FormActions>
      {isRejecting && (
        <Dialog title="Reject the work?" onClose={() => setIsRejecting(false)}>
          <div className="grid gap-3">
            <p>
              The attempt fails, and its files and result are no longer shown. You can retry the
              task, with another agent if necessary.{" "}
              {comment.trim() === "" ? "You have not written a comment." : "Your comment is sent."}
            </p>
            <FormActions error={error}>
              <Button kind="danger" disabled={isPending} onClick={() => decide("reject")}>
                {isPending ? "Rejecting …" : "Reject the work"}
              </Button>
              <Button onClick={() => setIsRejecting(false)}>Do not reject</Button>
            </FormActions>
          </div>
        </Dialog>
      )}
    </form>
  );
}
