import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Loading } from "../../ui/panels.tsx";
import { formatExactTime, formatDuration } from "../../ui/relative-time.ts";
import { useNow } from "../../ui/time.tsx";
import { isEndedBy, type TaskEvent } from "./task-log.ts";
import { count } from "../../tools/words.ts";
import type { Selection } from "./use-selection.ts";
import { waitLabel, buildSpans, type Span } from "./waterfall.ts";
import { breaksIn, layoutWaterfall, type Bar, type Gap } from "./waterfall-layout.ts";

const ROW_HEIGHT = 28;
const OVERSCAN = 10;
/** How often the bars of an unfinished task grow. */
const TICK_MS = 2_000;

interface WaterfallProps {
  readonly log: readonly TaskEvent[];
  readonly selected: Selection | null;
  readonly select: (selection: Selection) => void;
}

/** Attempts, their steps and waits, and tool calls on one axis of time, as a chart or as a table. */
export function Waterfall({ log, selected, select }: WaterfallProps) {
  const [isTable, setIsTable] = useState(false);
  const current = Math.floor(useNow() / TICK_MS) * TICK_MS;
  const now = isEndedBy(log) ? 0 : current;
  const { bars, gaps } = useMemo(() => layoutWaterfall(buildSpans(log, now)), [log, now]);
  if (log.length === 0) return <Loading what="the timeline" />;
  const Rows = isTable ? TableRows : ChartRows;
  return (
    <div className="grid gap-2 [&>*]:min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Legend hasGaps={gaps.length > 0} />
        <Button kind="quiet" onClick={() => setIsTable(!isTable)}>
          {isTable ? "Show as a chart" : "Show as a table"}
        </Button>
      </div>
      <Rows bars={bars} gaps={gaps} selected={selected} select={select} />
      {gaps.length > 0 && <GapList gaps={gaps} />}
      <p className="text-muted text-sm">
        Start times of tool calls are approximate: each call is drawn just before the event that
        records it.
      </p>
    </div>
  );
}

function gapText({ span }: Gap): string {
  return `${formatDuration(span.endMs - span.startMs)} ${waitLabel(span.waitsFor ?? "agent")}`;
}

const GAPS_SHOWN_MAX = 5;

function GapList({ gaps }: { readonly gaps: readonly Gap[] }) {
  const longest = gaps
    .toSorted((one, other) => duration(other.span) - duration(one.span))
    .slice(0, GAPS_SHOWN_MAX);
  const others = gaps.length - longest.length;
  return (
    <p className="text-muted text-sm">
      Collapsed: {longest.map(gapText).join(", ")}
      {others > 0 && ` and ${count(others, "shorter wait")}`}.
    </p>
  );
}

function duration({ startMs, endMs }: Span): number {
  return endMs - startMs;
}

const FILLS = {
  attempt: "bg-border-strong",
  step: "bg-accent",
  wait: "border border-dashed border-border-strong bg-sunken",
  call: "bg-info",
} as const;

function Legend({ hasGaps }: { readonly hasGaps: boolean }) {
  const entries = [
    ["step", "Work"],
    ["wait", "Wait"],
    ["call", "Tool call"],
  ] as const;
  return (
    <ul aria-label="Legend" className="text-muted flex flex-wrap gap-x-4 text-sm">
      {entries.map(([kind, label]) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span aria-hidden className={classNames("h-2.5 w-4 rounded-sm", FILLS[kind])} />
          {label}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="bg-danger h-2.5 w-4 rounded-sm" />
        Failed
      </li>
      {hasGaps && (
        <li className="flex items-center gap-1.5">
          <span aria-hidden className={classNames("relative h-2.5 w-6 rounded-sm", FILLS.wait)}>
            <BreakMark at={0.5} />
          </span>
          Collapsed
        </li>
      )}
    </ul>
  );
}

interface RowsProps extends Pick<WaterfallProps, "selected" | "select"> {
  readonly bars: readonly Bar[];
  readonly gaps: readonly Gap[];
}

function isSelectedSpan(span: Span, selected: Selection | null): boolean {
  return (
    selected !== null &&
    span.kind !== "attempt" &&
    span.seq === selected.event &&
    span.callIndex === selected.call
  );
}

function selectionOf({ seq, callIndex }: Span): Selection {
  return { event: seq, ...(callIndex !== undefined && { call: callIndex }) };
}

function outcome(span: Span): string {
  if (span.isOpen) return "not ended";
  return span.isFailed ? "failed" : "ended";
}

const PADDINGS = ["pl-1", "pl-4", "pl-8"] as const;

function ChartRows({ bars, gaps, selected, select }: RowsProps) {
  const region = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: bars.length,
    getScrollElement: () => region.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  return (
    <div
      ref={region}
      role="region"
      aria-label="Timeline"
      tabIndex={0}
      className="max-h-[50dvh] overflow-y-auto"
    >
      <ol className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const bar = bars[index];
          if (!bar) return null;
          return (
            <li
              key={index}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={bars.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <ChartRow
                bar={bar}
                gaps={gaps}
                isSelected={isSelectedSpan(bar.span, selected)}
                select={select}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function ChartRow({
  bar: { span, depth, x, width },
  gaps,
  isSelected,
  select,
}: {
  readonly bar: Bar;
  readonly gaps: readonly Gap[];
  readonly isSelected: boolean;
  readonly select: WaterfallProps["select"];
}) {
  const length = formatDuration(duration(span));
  const breaks = breaksIn({ x, width }, gaps);
  const isCollapsed = gaps.some((gap) => gap.span === span);
  const fill = span.isFailed && span.kind !== "attempt" ? "bg-danger" : FILLS[span.kind];
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      title={`${span.label}: ${length}${isCollapsed ? " (collapsed, not drawn to scale)" : ""}, from ${formatExactTime(new Date(span.startMs).toISOString())}`}
      onClick={() => select(selectionOf(span))}
      className="hover:bg-sunken aria-pressed:bg-accent-soft grid min-h-7 w-full items-center gap-x-2 rounded-md pr-1 sm:grid-cols-[minmax(7rem,38%)_minmax(0,1fr)] text-left -outline-offset-2"
    >
      <span className={classNames("flex min-w-0 gap-2 text-sm", PADDINGS[depth])}>
        <bdi className={classNames("truncate", span.kind === "attempt" && "font-semibold")}>
          {span.label}
        </bdi>
        <span
          className={classNames("ml-auto shrink-0", span.isFailed ? "text-danger" : "text-muted")}
        >
          {span.isFailed && "failed, "}
          {length}
          {span.isOpen && " so far"}
        </span>
      </span>
      <span aria-hidden className="relative h-3.5 max-sm:mb-1.5 max-sm:ml-1">
        {gaps.map((gap) => (
          <span
            key={`${gap.span.startMs} ${gap.x}`}
            className="bg-sunken absolute inset-y-0 sm:-inset-y-2"
            style={{ left: `${gap.x * 100}%`, width: `${gap.width * 100}%` }}
          />
        ))}
        <span
          className={classNames("absolute inset-y-0 min-w-0.5 rounded-sm", fill)}
          style={{ left: `min(${x * 100}%, 100% - 2px)`, width: `${width * 100}%` }}
        />
        {breaks.map((at) => (
          <BreakMark key={at} at={at} />
        ))}
      </span>
    </button>
  );
}

/** Two slanted lines across a bar, at a place between 0 and 1 where the bar is not to scale. */
function BreakMark({ at }: { readonly at: number }) {
  return (
    <svg
      viewBox="0 0 12 18"
      className="absolute -inset-y-0.5 h-[calc(100%+0.25rem)] w-3 -translate-x-1/2"
      style={{ left: `${at * 100}%` }}
    >
      <path d="M1 18 6 0h5L6 18z" className="fill-surface" />
      <path d="M1 18 6 0M6 18 11 0" className="stroke-text fill-none" strokeWidth="1.5" />
    </svg>
  );
}

const KINDS = { attempt: "Attempt", step: "Work", wait: "Wait", call: "Tool call" } as const;

/** A longer table would be slow; the raw data contains everything. */
const TABLE_ROWS_MAX = 500;

function TableRows({ bars, select }: RowsProps) {
  return (
    <div
      role="region"
      aria-label="Timeline as a table"
      tabIndex={0}
      className="max-h-[50dvh] overflow-auto"
    >
      <table className="w-full text-left text-sm">
        <thead className="bg-surface sticky top-0">
          <tr>
            {["Name", "Kind", "Start", "Duration", "Outcome"].map((title) => (
              <th key={title} scope="col" className="border-border border-b py-1 pr-3 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.slice(0, TABLE_ROWS_MAX).map(({ span, depth }, index) => (
            <tr key={index} className="border-border border-b">
              <th scope="row" className={classNames("py-0.5 pr-3 font-normal", PADDINGS[depth])}>
                <button
                  type="button"
                  className="text-accent min-h-target text-left break-words underline"
                  onClick={() => select(selectionOf(span))}
                >
                  <bdi>{span.label}</bdi>
                </button>
              </th>
              <td className="pr-3 whitespace-nowrap">{KINDS[span.kind]}</td>
              <td className="pr-3 whitespace-nowrap">
                {formatExactTime(new Date(span.startMs).toISOString())}
              </td>
              <td className="pr-3 whitespace-nowrap">{formatDuration(duration(span))}</td>
              <td className="whitespace-nowrap">{outcome(span)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {bars.length > TABLE_ROWS_MAX && (
        <p className="text-muted p-1">
          The first {TABLE_ROWS_MAX} of {bars.length} rows.
        </p>
      )}
    </div>
  );
}
