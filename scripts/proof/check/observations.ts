import type { History, Observation } from "../history.ts";
import type { Log } from "../read-state.ts";
import type { Violation } from "./violation.ts";

/** Checks that an event that a client has seen stays in the log, and that later reads never show less. */
export function checkObservations({ observations }: History, logs: readonly Log[]): Violation[] {
  const byId = new Map(logs.map((log) => [log.taskId, log]));
  const lost = observations.flatMap(({ taskId, seq, type, at }) => {
    const event = byId.get(taskId)?.events[seq - 1];
    const isThere = event !== undefined && (type ?? event.type) === event.type;
    if (isThere && (at ?? event.at) === event.at) return [];
    return [{ about: taskId, message: `event ${seq} (${type}) was shown but is not in the log` }];
  });
  const back = [...Map.groupBy(observations, ({ taskId }) => taskId)].flatMap(([about, seen]) =>
    goesBack(seen).map((message) => ({ about, message })),
  );
  return [...lost, ...back].map((one) => ({
    rule: "a state that a client has seen is never lost",
    ...one,
  }));
}

/** Finds reads that show less than a read that was completed earlier. */
function goesBack(seen: readonly Observation[]): string[] {
  const reads = [...Map.groupBy(seen, ({ seenFrom, seenAt }) => `${seenFrom} ${seenAt}`).values()]
    .map((same) => ({
      from: Math.max(...same.map(({ seenFrom }) => seenFrom)),
      at: Math.max(...same.map(({ seenAt }) => seenAt)),
      seq: Math.max(...same.map(({ seq }) => seq)),
    }))
    .toSorted((one, other) => one.at - other.at);
  return reads.flatMap((read) => {
    const before = reads.filter(({ at }) => at < read.from);
    const most = Math.max(0, ...before.map(({ seq }) => seq));
    return read.seq < most
      ? [
          `a read at ${read.from} showed event ${read.seq}, but an earlier read showed event ${most}`,
        ]
      : [];
  });
}

/** Checks that no idempotency key created more than one task. */
export function checkKeys({ keys }: History): Violation[] {
  return [...keys].flatMap(([key, led]) => {
    if (led.size === 1) return [];
    const message = `the key ${key} created ${[...led].join(" and ")}`;
    return [{ rule: "one key creates one task", about: null, message }];
  });
}

/**
 * Checks that the logs contain exactly one claim event for each task that a worker received from a claim, and no claims
 * by unknown workers.
 */
export function checkClaimedTasks(
  { claimedTasks, workers }: History,
  logs: readonly Log[],
): Violation[] {
  const given = new Map<string, number>();
  const problems: { about: string | null; message: string }[] = [];
  for (const { taskId, restored } of logs) {
    for (const { type, data } of restored) {
      if (type !== "started" && type !== "resumed") continue;
      const worker = data.lease?.worker ?? null;
      if (worker === null) continue;
      const name = `${worker} ${taskId}`;
      given.set(name, (given.get(name) ?? 0) + 1);
      if (!workers.has(worker))
        problems.push({ about: taskId, message: `${worker} never claimed it` });
    }
  }
  for (const { taskId, worker } of claimedTasks) {
    if (!given.has(`${worker} ${taskId}`)) {
      problems.push({
        about: taskId,
        message: `${worker} claimed it, but the log has no such event`,
      });
    }
  }
  for (const [name, times] of given) {
    if (times > 1) problems.push({ about: null, message: `${name} was claimed ${times} times` });
  }
  return problems.map((one) => ({ rule: "each task is claimed once", ...one }));
}
