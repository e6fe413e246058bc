import { useRef, useState, type SubmitEvent } from "react";
import type { Schemas } from "../../api/client.ts";
import { useShortcuts } from "../../layout/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import type { Task } from "../queries.ts";
import { FormActions, Key, submitOnCtrlEnter } from "./form-actions.tsx";
import { formatCost } from "./text-parts.ts";
import { useAct } from "./use-act.ts";

interface RespondFormProps {
  readonly task: Task;
  readonly onDone: (text: string) => void;
}

function useRespond({ task, onDone }: RespondFormProps) {
  const { act, error, isPending } = useAct(task.taskId, onDone);
  return {
    error,
    isPending,
    respond: (response: Schemas["RespondToTaskBody"]["response"]): void =>
      act({ kind: "respond", body: { response } }, "The answer was sent. The agent continues."),
  };
}

/** Answers the question of a blocked task. */
export function RespondForm(props: RespondFormProps) {
  switch (props.task.blocked?.kind) {
    case "budget":
      return <BudgetForm {...props} />;
    case "approval":
      return <ApprovalForm {...props} />;
    default:
      return <TextForm {...props} />;
  }
}

function TextForm(props: RespondFormProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { respond, error, isPending } = useRespond(props);
  useShortcuts([{ keys: "r", label: "Answer the question", run: () => field.current?.focus() }]);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (text.trim() !== "" && !isPending) respond(text.trim());
  }

  return (
    <form onSubmit={submit} className="grid gap-2">
      <TextArea
        ref={field}
        label="Your answer"
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={submitOnCtrlEnter}
        maxLength={5_000}
        dir="auto"
        aria-keyshortcuts="r"
      />
      <FormActions error={error}>
        <Button kind="primary" type="submit" disabled={isPending}>
          {isPending ? "Sending …" : "Send the answer"}
        </Button>
        <KeyHint focusKey="r" />
      </FormActions>
    </form>
  );
}

function KeyHint({ focusKey }: { readonly focusKey: string }) {
  return (
    <span className="text-muted hidden text-sm sm:inline">
      <Key>{focusKey}</Key> to write, <Key>Ctrl</Key> <Key>Enter</Key> to send
    </span>
  );
}

function ApprovalForm(props: RespondFormProps) {
  const [comment, setComment] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { respond, error, isPending } = useRespond(props);
  function decide(decision: "Approved" | "Denied"): void {
    if (isPending) return;
    respond(comment.trim() === "" ? `${decision}.` : `${decision}: ${comment.trim()}`);
  }
  useShortcuts([
    { keys: "r", label: "Write a comment", run: () => field.current?.focus() },
    { keys: "a", label: "Approve", run: () => decide("Approved") },
    { keys: "d", label: "Deny", run: () => decide("Denied") },
  ]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (comment.trim() !== "" && !isPending) respond(comment.trim());
      }}
      className="grid gap-2"
    >
      <TextArea
        ref={field}
        label="Comment or another answer (optional)"
        value={comment}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={submitOnCtrlEnter}
        maxLength={4_900}
        dir="auto"
      />
      <FormActions error={error}>
        <Button kind="primary" disabled={isPending} onClick={() => decide("Approved")}>
          Approve <Key>a</Key>
        </Button>
        <Button kind="danger" disabled={isPending} onClick={() => decide("Denied")}>
          Deny <Key>d</Key>
        </Button>
        <Button type="submit" disabled={isPending || comment.trim() === ""}>
          Send only the text
        </Button>
      </FormActions>
    </form>
  );
}

function BudgetForm(props: RespondFormProps) {
  const { budget, spend } = props.task;
  const [maxCost, setMaxCost] = useState(suggest(budget?.maxCost));
  const [maxToolCalls, setMaxToolCalls] = useState(suggest(budget?.maxToolCalls));
  const field = useRef<HTMLInputElement>(null);
  const { respond, error, isPending } = useRespond(props);
  useShortcuts([{ keys: "r", label: "Raise the budget", run: () => field.current?.focus() }]);
  const hasCost = budget?.maxCost !== undefined;
  const hasCalls = budget?.maxToolCalls !== undefined;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (isPending) return;
    respond({
      ...(hasCost && { maxCost: Number(maxCost) }),
      ...(hasCalls && { maxToolCalls: Number(maxToolCalls) }),
    });
  }

  return (
    <form onSubmit={submit} className="grid gap-2">
      <div className="grid gap-3 sm:grid-cols-2">
        {hasCost && (
          <TextField
            ref={field}
            label="Maximum cost, in US dollars"
            type="number"
            min={budget.maxCost}
            step="any"
            required
            value={maxCost}
            onChange={(event) => setMaxCost(event.target.value)}
            hint={`Now ${formatCost(budget.maxCost ?? 0)}; spent ${formatCost(spend?.cost ?? 0)}.`}
          />
        )}
        {hasCalls && (
          <TextField
            ref={hasCost ? undefined : field}
            label="Maximum number of tool calls"
            type="number"
            min={budget.maxToolCalls}
            step={1}
            required
            value={maxToolCalls}
            onChange={(event) => setMaxToolCalls(event.target.value)}
            hint={`Now ${budget.maxToolCalls}; made ${spend?.toolCalls ?? 0}.`}
          />
        )}
      </div>
      <FormActions error={error}>
        <Button kind="primary" type="submit" disabled={isPending}>
          {isPending ? "Sending …" : "Raise the budget"}
        </Button>
        <Button
          disabled={isPending}
          onClick={() => respond("Finish with the results that you have.")}
        >
          Finish with the results so far
        </Button>
      </FormActions>
    </form>
  );
}

/** Twice the current limit. */
function suggest(limit: number | undefined): string {
  return limit === undefined ? "" : String(limit === 0 ? 1 : limit * 2);
}
