import { useState, type RefObject } from "react";
import type { Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { useTaskAction } from "./actions.ts";

/** Decides on a task's submitted work. Requested changes need a comment. */
export function ReviewForm({
  taskId,
  inputRef,
}: {
  readonly taskId: string;
  /** The comment, so that a shortcut can focus it. */
  readonly inputRef?: RefObject<HTMLTextAreaElement | null>;
}) {
  const [comment, setComment] = useState("");
  const act = useTaskAction(taskId);
  const hasComment = comment.trim() !== "";

  function decide(decision: Schemas["ReviewTaskBody"]["decision"]): void {
    act.mutate({ kind: "review", body: { decision, ...(hasComment && { comment }) } });
  }

  return (
    <div className="grid gap-2">
      <TextArea
        ref={inputRef}
        label="Comment"
        data-key="r"
        rows={2}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        hint="Required if you request changes."
      />
      {act.error && <ErrorPanel error={act.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          data-key="a"
          kind="primary"
          disabled={act.isPending}
          onClick={() => decide("approve")}
        >
          Approve
        </Button>
        <Button
          data-key="d"
          disabled={act.isPending || !hasComment}
          onClick={() => decide("request_changes")}
        >
          Request changes
        </Button>
        <Button kind="danger" disabled={act.isPending} onClick={() => decide("reject")}>
          Reject
        </Button>
      </div>
    </div>
  );
}
