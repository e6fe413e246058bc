import { useState, type SubmitEvent } from "react";
import type { Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import type { Task } from "./queries.ts";
import { FormActions, Key, onCtrlEnter } from "./form-actions.tsx";
import { formatCost } from "./cost.ts";
import { useAct } from "./use-act.ts";

type Answer = Schemas["RespondToTaskBody"]["response"];
type Limits = Readonly<Record<"maxCost" | "maxToolCalls", string>>;

const LABELS: Readonly<Record<Schemas["BlockKind"], string>> = {
  input: "Your answer",
  approval: "Comment, or an answer other than yes or no",
  auth: "Your answer",
  budget: "Comment (optional)",
  dependency: "Your answer",
};

/**
 * Answers the question of a blocked task. A question about the budget can raise the limits. The view's shortcuts press
 * the controls with `data-key`.
 */
export function AnswerForm({
  task,
  kind,
  onDone,
}: {
  readonly task: Pick<Task, "taskId" | "budget" | "spend">;
  readonly kind: Schemas["BlockKind"];
  /** Called with what was done. */
  readonly onDone?: (text: string) => void;
}) {
  const { taskId, budget, spend } = task;
  const [text, setText] = useState("");
  const [limits, setLimits] = useState(() => suggestLimits(task));
  const { act, error, isPending } = useAct(taskId, onDone);

  function send(response: Answer): void {
    if (isPending) return;
    act({ kind: "respond", body: { response } }, "The answer was sent. The agent can continue.");
  }
  function sendComment(): void {
    if (text.trim() !== "") send(text.trim());
  }
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const raised =
      kind !== "budget"
        ? {}
        : Object.fromEntries(
            Object.entries(limits)
              .filter(([, value]) => value.trim() !== "")
              .map(([name, value]) => [name, Number(value)]),
          );
    const comment = text.trim();
    if (Object.keys(raised).length === 0) sendComment();
    else send(comment === "" ? raised : { ...raised, comment });
  }
  /** A decision, with the comment if there is one. */
  function decide(decision: "Approved" | "Denied"): void {
    send(text.trim() === "" ? `${decision}.` : `${decision}: ${text.trim()}`);
  }
  const hasNewLimit =
    kind === "budget" && Object.values(limits).some((value) => value.trim() !== "");

  return (
    <form onSubmit={submit} className="grid gap-2">
      {kind === "budget" && (
        <div className="grid items-start gap-2 sm:grid-cols-2">
          <TextField
            label="New maximum cost (US dollars)"
            inputMode="decimal"
            pattern="\d*\.?\d+"
            title="A number, such as 2.5"
            value={limits.maxCost}
            onChange={(event) => setLimits({ ...limits, maxCost: event.target.value })}
            hint={usedText(spend?.cost ?? 0, budget?.maxCost, formatCost)}
          />
          <TextField
            label="New maximum tool calls"
            inputMode="numeric"
            pattern="\d+"
            title="A whole number, such as 50"
            value={limits.maxToolCalls}
            onChange={(event) => setLimits({ ...limits, maxToolCalls: event.target.value })}
            hint={usedText(spend?.toolCalls ?? 0, budget?.maxToolCalls, String)}
          />
        </div>
      )}
      <TextArea
        label={LABELS[kind]}
        data-key="r"
        rows={2}
        dir="auto"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onCtrlEnter(sendComment)}
        hint={`Ctrl+Enter sends ${hasNewLimit ? "only the comment" : "the answer"}.`}
      />
      <FormActions error={error}>
        {kind === "approval" && (
          <>
            <Button
              data-key="a"
              kind="primary"
              disabled={isPending}
              onClick={() => decide("Approved")}
            >
              Approve <Key>a</Key>
            </Button>
            <Button
              data-key="d"
              kind="danger"
              disabled={isPending}
              onClick={() => decide("Denied")}
            >
              Deny <Key>d</Key>
            </Button>
          </>
        )}
        <Button
          kind={kind === "approval" ? "secondary" : "primary"}
          type="submit"
          disabled={(text.trim() === "" && !hasNewLimit) || isPending}
        >
          {isPending ? "Sending …" : hasNewLimit ? "Raise the budget" : "Send the answer"}
        </Button>
        {hasNewLimit && (
          <Button disabled={text.trim() === "" || isPending} onClick={sendComment}>
            Send only the comment
          </Button>
        )}
        {kind === "budget" && (
          <Button disabled={isPending} onClick={() => send("Finish without further calls.")}>
            Finish without further calls
          </Button>
        )}
      </FormActions>
    </form>
  );
}

/** Twice the limit that is used up. */
function suggestLimits({ budget = {}, spend }: Pick<Task, "budget" | "spend">): Limits {
  const { maxCost, maxToolCalls } = budget;
  if (maxToolCalls !== undefined && (spend?.toolCalls ?? 0) >= maxToolCalls)
    return { maxCost: "", maxToolCalls: String(Math.max(1, maxToolCalls * 2)) };
  return { maxCost: maxCost === undefined ? "" : String(maxCost * 2), maxToolCalls: "" };
}

/** What was used of a limit, if there is one. */
function usedText(
  used: number,
  limit: number | undefined,
  format: (amount: number) => string,
): string | undefined {
  return limit === undefined ? undefined : `Used ${format(used)} of ${format(limit)}.`;
}
