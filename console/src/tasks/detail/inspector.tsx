import { Check, X } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { IconButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatExactTime, formatDuration } from "../../ui/relative-time.ts";
import { CallRecord } from "./call-record.tsx";
import { callName, describeEvent } from "./describe-event.ts";
import { SentenceText } from "./foreign-text.tsx";
import { JsonView } from "./json-view.tsx";
import { callsOf, type TaskEvent, type ToolCall } from "./task-log.ts";
import { formatCost } from "../cost.ts";
import type { Selection } from "./use-selection.ts";

/** The data of the selected event and of its tool calls. A sheet at the bottom of a narrow page. */
export function Inspector({
  taskId,
  event,
  names,
  callIndex,
  isMissing,
  select,
}: {
  readonly taskId: string;
  readonly event: TaskEvent | null;
  /** The names of agents by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly callIndex: number | null;
  /** Whether an event is selected that the log does not contain (yet). */
  readonly isMissing: boolean;
  readonly select: (selection: Selection | null) => void;
}) {
  const isOpen = event !== null;
  const onEscape = useEffectEvent((press: KeyboardEvent) => {
    const isElsewhere = document.querySelector("dialog[open], [role='menu']") !== null;
    if (press.key === "Escape" && !press.defaultPrevented && !isElsewhere) select(null);
  });
  useEffect(() => {
    if (!isOpen) return;
    document.addEventListener("keydown", onEscape);
    return () => document.removeEventListener("keydown", onEscape);
  }, [isOpen]);

  if (event === null)
    return (
      <aside
        aria-label="Inspector"
        className="border-border-strong/40 text-muted hidden rounded-lg border border-dashed p-4 lg:block"
      >
        {isMissing
          ? "The selected event is not in the log."
          : "Select an event or a tool call to see its data."}
      </aside>
    );
  const { sentence, quote, author } = describeEvent(event, names);
  const calls = callsOf(event);
  return (
    <aside
      aria-label="Inspector"
      className="border-border bg-surface max-lg:bg-raised overflow-y-auto rounded-lg border p-4 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-10 max-lg:max-h-[55dvh] max-lg:rounded-b-none max-lg:shadow-xl lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)]"
    >
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 font-semibold break-words">
          <SentenceText sentence={sentence} />
        </h2>
        <CopyButton text={JSON.stringify(event, null, 2)} label="Copy the event as JSON" />
        <IconButton label="Close the inspector" onClick={() => select(null)}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </div>
      <p className="text-muted text-sm">
        Event {event.seq} · {event.type} · {formatExactTime(event.at)}
        {author && (
          <>
            {" · key "}
            <bdi className="break-words">{author.keyName}</bdi>
            {author.isInConsole && " in the console"}
          </>
        )}
      </p>
      {quote !== undefined && (
        <p dir="auto" className="mt-2 break-words whitespace-pre-wrap">
          {quote}
        </p>
      )}
      {calls.length > 0 && (
        <section aria-label="Tool calls" className="mt-3">
          <h3 className="font-medium">Tool calls</h3>
          <ul className="mt-1 grid gap-1 [&>*]:min-w-0">
            {calls.map((call, index) => (
              <li key={index}>
                <CallFacts
                  call={call}
                  isSelected={index === callIndex}
                  select={() => select({ event: event.seq, call: index })}
                />
                {index === callIndex && <CallRecord taskId={taskId} callId={call.callId} />}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Data" className="mt-3">
        <h3 className="font-medium">Data</h3>
        <div className="mt-1 font-mono text-sm">
          <JsonView value={event.data} />
        </div>
      </section>
    </aside>
  );
}

function CallFacts({
  call,
  isSelected,
  select,
}: {
  readonly call: ToolCall;
  readonly isSelected: boolean;
  readonly select: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={select}
      className="border-border hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-soft w-full rounded-md border px-2 py-1 text-left -outline-offset-2"
    >
      <bdi className="font-medium break-words">{callName(call)}</bdi>
      <span className="flex flex-wrap items-center gap-x-2 text-sm">
        {call.ok ? (
          <span className="text-success flex items-center gap-1">
            <Check aria-hidden className="size-3.5" />
            succeeded
          </span>
        ) : (
          <span className="text-danger flex items-center gap-1">
            <X aria-hidden className="size-3.5" />
            failed
          </span>
        )}
        <span className="text-muted">
          {formatDuration(call.durationMs)} · {formatCost(call.cost)}
        </span>
      </span>
      {call.problem !== undefined && (
        <bdi className="text-danger block text-sm break-words">{call.problem}</bdi>
      )}
    </button>
  );
}
