import type { History, Sighting } from "../history.ts";
import type { Log } from "../look.ts";
import type { Violation } from "./violation.ts";

/** An event that a client has seen stays in the log, and later reads never show less. */
export function checkSightings({ sightings }: History, logs: readonly Log[]): Violation[] {
  const byId = new Map(logs.map((log) => [log.taskId, log]));
  const lost = sightings.flatMap(({ taskId, seq, type, at }) => {
    const event = byId.get(taskId)?.events[seq - 1];
    const isThere = event !== undefined && (type ?? event.type) === event.type;
    if (isThere && (at ?? event.at) === event.at) return [];
    return [{ about: taskId, words: `event ${seq} (${type}) was shown, and is not in the log` }];
  });
  const back = [...Map.groupBy(sightings, ({ taskId }) => taskId)].flatMap(([about, seen]) =>
    goesBack(seen).map((words) => ({ about, words })),
  );
  return [...lost, ...back].map((one) => ({ rule: "what was shown stays", ...one }));
}

/** Each read shows at least what every earlier completed read has shown. */
function goesBack(seen: readonly Sighting[]): string[] {
  const looks = [...Map.groupBy(seen, ({ seenFrom, seenAt }) => `${seenFrom} ${seenAt}`).values()]
    .map((same) => ({
      from: Math.max(...same.map(({ seenFrom }) => seenFrom)),
      at: Math.max(...same.map(({ seenAt }) => seenAt)),
      seq: Math.max(...same.map(({ seq }) => seq)),
    }))
    .toSorted((one, other) => one.at - other.at);
  return looks.flatMap((look) => {
    const before = looks.filter(({ at }) => at < look.from);
    const most = Math.max(0, ...before.map(({ seq }) => seq));
    return look.seq < most
      ? [`a look at ${look.from} showed ${look.seq}, an earlier one ${most}`]
      : [];
  });
}

/** One idempotency key never led to two tasks. */
export function checkKeys({ keys }: History): Violation[] {
  return [...keys].flatMap(([key, led]) => {
    if (led.size === 1) return [];
    const words = `the key ${key} led to ${[...led].join(" and ")}`;
    return [{ rule: "one task a key", about: null, words }];
  });
}

/** Each claim returned what the log records, and the log records no other claims. */
export function checkHandouts({ handouts, workers }: History, logs: readonly Log[]): Violation[] {
  const given = new Map<string, number>();
  const problems: { about: string | null; words: string }[] = [];
  for (const { taskId, restored } of logs) {
    for (const { type, data } of restored) {
      if (type !== "started" && type !== "resumed") continue;
      const worker = data.lease?.worker ?? null;
      if (worker === null) continue;
      const name = `${worker} ${taskId}`;
      given.set(name, (given.get(name) ?? 0) + 1);
      if (!workers.has(worker)) problems.push({ about: taskId, words: `${worker} never claimed` });
    }
  }
  for (const { taskId, worker } of handouts) {
    if (!given.has(`${worker} ${taskId}`)) {
      problems.push({ about: taskId, words: `${worker} was given it, and no event says so` });
    }
  }
  for (const [name, times] of given) {
    if (times > 1) problems.push({ about: null, words: `${name} was given ${times} times` });
  }
  return problems.map((one) => ({ rule: "a claim gives each task once", ...one }));
}
