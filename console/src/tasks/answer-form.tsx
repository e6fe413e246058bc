import { useState, type RefObject, type SubmitEvent } from "react";
import type { Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { TextArea, TextField } from "../ui/field.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { useTaskAction } from "./actions.ts";

type Answer = Schemas["RespondToTaskBody"]["response"];

/** Answers the question of a blocked task. A question about the budget can raise the limits. */
export function AnswerForm({
  taskId,
  kind,
  inputRef,
}: {
  readonly taskId: string;
  readonly kind: Schemas["BlockKind"];
  /** The first field, so that a shortcut can focus it. */
  readonly inputRef?: RefObject<HTMLTextAreaElement | null>;
}) {
  const [text, setText] = useState("");
  const [limits, setLimits] = useState({ maxCost: "", maxToolCalls: "" });
  const act = useTaskAction(taskId);

  function send(response: Answer): void {
    act.mutate({ kind: "respond", body: { response } });
  }
  function submit(event?: SubmitEvent): void {
    event?.preventDefault();
    const raised = Object.fromEntries(
      Object.entries(limits)
        .filter(([, value]) => value.trim() !== "")
        .map(([name, value]) => [name, Number(value)]),
    );
    const hasLimits = Object.keys(raised).length > 0;
    if (hasLimits) send(text.trim() === "" ? raised : { ...raised, comment: text });
    else if (text.trim() !== "") send(text);
  }
  const isAnswered = text.trim() !== "" || Object.values(limits).some((value) => value !== "");

  return (
    <form onSubmit={submit} className="grid gap-2">
      {kind === "budget" && (
        <div className="grid gap-2 sm:grid-cols-2">
          <TextField
            label="New maximum cost in US dollars"
            inputMode="decimal"
            value={limits.maxCost}
            onChange={(event) => setLimits({ ...limits, maxCost: event.target.value })}
          />
          <TextField
            label="New maximum number of tool calls"
            inputMode="numeric"
            value={limits.maxToolCalls}
            onChange={(event) => setLimits({ ...limits, maxToolCalls: event.target.value })}
          />
        </div>
      )}
      <TextArea
        ref={inputRef}
        label="Your answer"
        data-key="r"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        hint="Ctrl+Enter sends the answer."
      />
      {act.error && <ErrorPanel error={act.error} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" disabled={!isAnswered || act.isPending}>
          {act.isPending ? "Sending …" : "Send the answer"}
        </Button>
        {kind === "approval" && (
          <>
            <Button data-key="a" disabled={act.isPending} onClick={() => send("Approved.")}>
              Approve
            </Button>
            <Button
              data-key="d"
              kind="danger"
              disabled={act.isPending}
              onClick={() => send("Denied.")}
            >
              Deny
            </Button>
          </>
        )}
        {kind === "budget" && (
          <Button disabled={act.isPending} onClick={() => send("Finish without further calls.")}>
            Finish without further calls
          </Button>
        )}
      </div>
    </form>
  );
}
