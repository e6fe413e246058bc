import { acknowledged } from "./check/writes.ts";
import type { Figures } from "./judge.ts";
import { formatCounts } from "./counts.ts";
import type { History } from "./history.ts";
import { linesOf, missing } from "./report.ts";

/** The kinds of writes that a run must contain. */
const WRITES = [
  "create",
  "patch",
  "cancel",
  "retry",
  "respond",
  "review",
  "feedback",
  "upload",
  "report progress",
  "report completed",
];

/** Describes each minimum that a run with this many kills did not reach. */
export function missedMinimums(figures: Figures, kills: number): string[] {
  const writes = [...figures.acknowledged.values()].reduce((sum, count) => sum + count, 0);
  return missing([
    ["kills", figures.kills, kills],
    ["freezes", figures.freezes, Math.floor(kills / 2)],
    ["acknowledged writes", writes, 20 * kills],
    ["requests without a response", figures.unknown, kills],
    ["completed tasks", figures.statuses.get("completed") ?? 0, kills],
    ["enforced limits", figures.limits, kills / 2],
    ["limits that expired while the service was down", figures.overdue, kills / 10],
    ["webhook messages", figures.messages, 20 * kills],
    ["streams read to the end", figures.streams, kills / 10],
    ["tasks that ended before the last fault", figures.endedByCalm, kills],
    ["files", figures.files, kills / 5],
    ["files that workers uploaded", figures.handedIn, Math.max(1, kills / 10)],
    ["events received by the feed reader", figures.feedEvents, 20 * kills],
    ["observations of logs and rows", figures.observations, 20 * kills],
    ["events received in streams", figures.streamEvents, kills],
    ["idempotency keys sent twice", figures.keysTwice, kills / 5],
    ["claims that returned a task", figures.claims, kills / 2],
    ...writeMinimums(figures.acknowledged, kills),
  ]);
}

/** Whether the clients' acknowledged writes of each kind reach their minimums. */
export function hasEachWrite(history: History, kills: number): boolean {
  return missing(writeMinimums(acknowledged(history), kills)).length === 0;
}

function writeMinimums(counts: ReadonlyMap<string, number>, kills: number) {
  const minimum = Math.max(1, kills / 10);
  return WRITES.map((kind) => [kind, counts.get(kind) ?? 0, minimum] as const);
}

export function tableOf(figures: Figures): string {
  const { statuses, serverErrors } = figures;
  return linesOf([
    [
      "faults",
      `${figures.kills} kills, ${figures.freezes} freezes, down for ${seconds(figures.outMs)}`,
    ],
    ["requests", `${figures.requests}, ${figures.unknown} of them without a response`],
    ["server errors", formatCounts(Object.entries(serverErrors)) || "none"],
    ["service log", formatCounts([...figures.logCounts]) || "empty"],
    ["acknowledged writes", formatCounts([...figures.acknowledged])],
    ["tasks", `${figures.tasks} with ${figures.events} events: ${formatCounts([...statuses])}`],
    [
      "limits",
      `${figures.limits} enforced, ${figures.overdue} expired during an outage; at most ${figures.latestMs} ms late`,
    ],
    ["settled", `all tasks ended ${seconds(figures.settledMs)} after the last fault`],
    [
      "consistent after",
      `directory ${figures.directoryMs} ms after the last fault for the ${figures.endedByCalm} tasks that had ended, feed ${figures.feedMs} ms, webhooks ${figures.webhooksMs} ms`,
    ],
    ["webhooks", `${figures.messages} messages in ${figures.arrivals} deliveries, all verified`],
    [
      "streams",
      `${figures.streams} read to the end, ${figures.streamEvents} events; the feed reader received ${figures.feedEvents}`,
    ],
    [
      "compared with logs",
      `${figures.observations} observations, ${figures.files} files, ${figures.handedIn} of them uploaded by workers`,
    ],
  ]);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
