import { useVirtualizer } from "@tanstack/react-virtual";
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  Gavel,
  Hourglass,
  CirclePlay,
  CirclePlus,
  ClipboardCheck,
  MessageSquareReply,
  MessageSquareWarning,
  Pencil,
  RotateCcw,
  Star,
  TrendingUp,
  UserCheck,
  UserX,
  type LucideIcon,
} from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Loading } from "../../ui/panels.tsx";
import { formatExactTime } from "../../ui/relative-time.ts";
import { describeEvent, type EventLine } from "./describe-event.ts";
import { SentenceText } from "./foreign-text.tsx";
import type { TaskEvent } from "./task-log.ts";
import type { Selection } from "./use-selection.ts";

const ICONS: Readonly<Record<TaskEvent["type"], LucideIcon>> = {
  created: CirclePlus,
  assigned: UserCheck,
  declined: UserX,
  started: CirclePlay,
  resumed: CirclePlay,
  progressed: TrendingUp,
  blocked: CircleHelp,
  call_stored: Hourglass,
  call_settled: Gavel,
  responded: MessageSquareReply,
  submitted: ClipboardCheck,
  approved: CircleCheck,
  changes_requested: MessageSquareWarning,
  completed: CircleCheck,
  failed: CircleAlert,
  cancelled: Ban,
  retried: RotateCcw,
  updated: Pencil,
  rated: Star,
};

const COLORS: Partial<Record<TaskEvent["type"], string>> = {
  blocked: "text-warning",
  submitted: "text-info",
  completed: "text-success",
  approved: "text-success",
  failed: "text-danger",
};

const ROW_HEIGHT = 32;
const OVERSCAN = 10;
/** Within this distance from the end, the list follows new events. */
const END_PX = 40;

const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** The log as readable lines, oldest first. It follows new events while its end is visible. */
export function EventList({
  log,
  names,
  selectedSeq,
  select,
}: {
  readonly log: readonly TaskEvent[];
  /** The names of agents by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly selectedSeq: number | null;
  readonly select: (selection: Selection) => void;
}) {
  const region = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const rows = useVirtualizer({
    count: log.length,
    getScrollElement: () => region.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => log[index]?.seq ?? index,
    overscan: OVERSCAN,
  });
  const totalSize = rows.getTotalSize();

  function isAtEnd(): boolean {
    const element = region.current;
    if (!element) return true;
    return element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
  }

  useLayoutEffect(() => {
    const element = region.current;
    if (isFollowing && element) element.scrollTop = element.scrollHeight;
  }, [isFollowing, totalSize]);

  const selectedIndex = log.findIndex(({ seq }) => seq === selectedSeq);
  useEffect(() => {
    if (selectedIndex === -1) return;
    setIsFollowing(isAtEnd());
    rows.scrollToIndex(selectedIndex, { align: "auto" });
    // The row is scrolled into view only when the selection changes.
  }, [selectedSeq, selectedIndex === -1]);

  if (log.length === 0) return <Loading what="the log" />;
  return (
    <div>
      <div
        ref={region}
        onScroll={() => setIsFollowing(isAtEnd())}
        role="region"
        aria-label="Events"
        tabIndex={0}
        className="max-h-[60dvh] min-h-20 overflow-y-auto [overflow-anchor:none]"
      >
        <ol className="relative" style={{ height: totalSize }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const event = log[index];
            if (!event) return null;
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                aria-setsize={log.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <EventRow
                  event={event}
                  names={names}
                  previousAt={log[index - 1]?.at}
                  isSelected={event.seq === selectedSeq}
                  select={select}
                />
              </li>
            );
          })}
        </ol>
      </div>
      {!isFollowing && (
        <div className="mt-2 text-right">
          <Button onClick={() => setIsFollowing(true)}>Go to the latest event</Button>
        </div>
      )}
    </div>
  );
}

function EventRow({
  event,
  names,
  previousAt,
  isSelected,
  select,
}: {
  readonly event: TaskEvent;
  readonly names: ReadonlyMap<string, string>;
  readonly previousAt: string | undefined;
  readonly isSelected: boolean;
  readonly select: (selection: Selection) => void;
}) {
  const Icon = ICONS[event.type];
  const { sentence, quote, author } = describeEvent(event, names);
  const date = new Date(event.at);
  const isNewDay = previousAt !== undefined && !isSameDay(date, new Date(previousAt));
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => select({ event: event.seq })}
      className="hover:bg-sunken aria-pressed:bg-accent-soft flex min-h-8 w-full items-start gap-2 rounded-md px-2 py-1 text-left -outline-offset-2"
    >
      <time
        dateTime={event.at}
        title={formatExactTime(event.at)}
        className="text-muted w-16 shrink-0 pt-px text-sm tabular-nums"
      >
        {isNewDay && <span className="block">{day.format(date)}</span>}
        {time.format(date)}
      </time>
      <Icon
        aria-hidden
        className={classNames("mt-0.5 size-4 shrink-0", COLORS[event.type] ?? "text-muted")}
      />
      <span className="min-w-0 flex-1 break-words">
        <SentenceText sentence={sentence} />
        {author && <Author author={author} />}
        {quote !== undefined && (
          <bdi className="text-muted line-clamp-2 block text-sm">{quote.slice(0, 500)}</bdi>
        )}
      </span>
    </button>
  );
}

/** The key that caused an event. The text is short, because it repeats in most lines. */
function Author({ author }: { readonly author: NonNullable<EventLine["author"]> }) {
  const { keyName, isInConsole } = author;
  return (
    <span
      className="text-muted text-sm"
      title={`With the key ${keyName}${isInConsole ? ", in the console" : ""}`}
    >
      {" · "}
      <span className="sr-only">with the key </span>
      <bdi>{keyName}</bdi>
    </span>
  );
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}
