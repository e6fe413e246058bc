import { useState, type SubmitEvent } from "react";
import { useHasScope } from "../../session/identity.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Card, EmptyState } from "../../ui/panels.tsx";
import type { Task } from "../queries.ts";
import { curlFor } from "../../api/curl.ts";
import { FormActions, submitOnCtrlEnter } from "../form-actions.tsx";
import { useAct } from "../use-act.ts";

const RATINGS = [1, 2, 3, 4, 5] as const;

/** The feedback on a completed task, and a form to give or replace it. */
export function FeedbackTab({
  task,
  onDone,
}: {
  readonly task: Task;
  readonly onDone: (text: string) => void;
}) {
  const canWrite = useHasScope("tasks:write");
  const { feedback } = task;
  if (task.status !== "completed")
    return (
      <EmptyState title="No feedback yet">A task can be rated when it is completed.</EmptyState>
    );
  if (feedback === undefined && !canWrite)
    return (
      <EmptyState
        title="No feedback yet"
        command={curlFor("POST", `/agents/tasks/${task.taskId}/feedback`, { rating: 5 })}
      >
        Rating a task requires the scope <code>tasks:write</code>.
      </EmptyState>
    );
  return (
    <div className="grid gap-4">
      {feedback && (
        <Card title="Feedback">
          <p>
            <span aria-hidden className="text-warning">
              {"★".repeat(Math.round(feedback.rating))}
            </span>{" "}
            {feedback.rating} of 5
          </p>
          {feedback.feedback !== undefined && (
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {feedback.feedback}
            </p>
          )}
          {feedback.issues && feedback.issues.length > 0 && (
            <ul dir="auto" className="list-disc pl-5 break-words">
              {feedback.issues.map((issue, index) => (
                <li key={index}>{issue}</li>
              ))}
            </ul>
          )}
        </Card>
      )}
      {canWrite && <FeedbackForm task={task} onDone={onDone} />}
    </div>
  );
}

function FeedbackForm({
  task,
  onDone,
}: {
  readonly task: Task;
  readonly onDone: (text: string) => void;
}) {
  const [rating, setRating] = useState<number | null>(task.feedback?.rating ?? null);
  const [text, setText] = useState(task.feedback?.feedback ?? "");
  const [issues, setIssues] = useState(task.feedback?.issues?.join("\n") ?? "");
  const { act, error, isPending } = useAct(task.taskId, onDone);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (rating === null) return;
    const listed = issues.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
    const body = {
      rating,
      ...(text.trim() !== "" && { feedback: text.trim() }),
      ...(listed.length > 0 && { issues: listed }),
    };
    act({ kind: "feedback", body }, "The feedback was saved.");
  }

  return (
    <Card title={task.feedback ? "Replace the feedback" : "Rate the work"}>
      <form onSubmit={submit} className="grid max-w-prose gap-3">
        <fieldset>
          <legend className="font-medium">Rating, from 1 (worst) to 5 (best)</legend>
          <div className="mt-1 flex flex-wrap gap-4">
            {RATINGS.map((one) => (
              <label key={one} className="flex min-h-target items-center gap-1.5">
                <input
                  type="radio"
                  name="rating"
                  required
                  className="accent-accent size-4"
                  checked={rating === one}
                  onChange={() => setRating(one)}
                />
                {one}
              </label>
            ))}
          </div>
        </fieldset>
        <TextArea
          label="Comment (optional)"
          value={text}
          dir="auto"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
        />
        <TextArea
          label="Problems (optional)"
          hint="One per line."
          value={issues}
          dir="auto"
          onChange={(event) => setIssues(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
        />
        <FormActions error={error}>
          <Button kind="primary" type="submit" disabled={isPending || rating === null}>
            {isPending ? "Saving …" : "Save the feedback"}
          </Button>
        </FormActions>
      </form>
    </Card>
  );
}
