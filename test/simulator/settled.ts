import { queueStub, queueTermsOf } from "../../src/agents/queue/queue.rpc.ts";
import { slotOf, isTerminal, endedAtOf } from "../../src/tasks/model/task.ts";
import { ANYBODY } from "./clients.ts";
import { queueEntriesOf, findUnpublishedEvent } from "./pending-effects.ts";
import type { Disk } from "./disk.ts";
import { isSettled } from "./check-invariants.ts";
import { readTask } from "./stored-state.ts";
import type { Webhooks } from "./webhooks.ts";
import type { Workers } from "./workers.ts";
import type { SimulatedPlatform } from "./platform.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Long enough for silent calls to time out, for their retries, and for pauses after outages. */
const REST_MS = 4 * MINUTE_MS;
/** Long enough for every deadline, lease and lost turn to expire. */
const QUIET_MS = 90 * MINUTE_MS;
const ROUND_MS = 10_000;
/** Longer than any deadline or time budget that a client sets. */
const LIMITS_MS = 60 * MINUTE_MS;
/** Long enough to finish the deletions that outages have delayed. */
const PURGED_MS = 120 * MINUTE_MS;

/**
 * Runs without new faults until no work is pending. Workers keep claiming tasks while their queues
 * contain any.
 */
export async function settle(
  platform: SimulatedPlatform,
  workers: Workers,
  webhooks: Webhooks,
): Promise<void> {
  const { clock, scenario: setting, queues, faultPlan } = platform;
  const calmAt = Math.max(clock.now, faultPlan.outageEndsAt);
  const [soonest, latest] = [calmAt + REST_MS, calmAt + QUIET_MS];
  while (clock.now < latest && (clock.now < soonest || !areAtRest(platform, webhooks))) {
    for (const [agentId, { executor }] of Object.entries(setting.agents)) {
      const entries = queues.get(agentId)?.disk.tables.get("entries")?.size ?? 0;
      if (executor === "worker" && entries > 0) workers.claimIn(0, agentId);
    }
    await clock.runUntil(clock.now + ROUND_MS);
  }
  requestSlots(platform);
  await clock.runUntil(clock.now + MINUTE_MS);
}

/**
 * Requests each slot that a task never confirmed, because a queue releases such a slot only when
 * another task needs one.
 */
function requestSlots(platform: SimulatedPlatform): void {
  for (const { name, disk } of platform.tasks.values()) {
    const task = readTask(disk);
    if (task === null || slotOf(task) !== "none") continue;
    for (const { agentId } of queueEntriesOf(platform, name)) {
      const terms = platform.tables.agents.get(agentId)?.terms;
      if (terms === undefined) continue;
      platform.faultPlan.note("slot never confirmed");
      const rival = {
        taskId: "rival",
        seq: 1,
        priority: "high",
        deadline: null,
        since: 0,
      } as const;
      void queueStub(platform.env.QUEUES, agentId).enqueue(agentId, rival, queueTermsOf(terms));
    }
  }
}

function areAtRest(platform: SimulatedPlatform, webhooks: Webhooks): boolean {
  return (
    webhooks.areSettled() &&
    platform.actors().every(({ isIdle }) => isIdle) &&
    [...platform.tasks.values()].every((object) => {
      const task = readTask(object.disk);
      return (
        task === null ||
        (isSettled(platform, task) && findUnpublishedEvent(platform, object) === null)
      );
    }) &&
    // After a long feed outage, minutes can pass before tasks retry and webhooks get their events.
    webhooks.haveAll()
  );
}

function isEnded(disk: Disk): boolean {
  const task = readTask(disk);
  return task !== null && isTerminal(task.status);
}

function endedAtOn(disk: Disk): number | null {
  const task = readTask(disk);
  return task === null ? null : endedAtOf(task);
}

/**
 * Returns what remains of ended tasks after their retention. Faults occur again around the end of
 * the retention.
 */
export async function findLeftovers(platform: SimulatedPlatform): Promise<string[]> {
  const { clock, tasks, shards, files, faultPlan, rng } = platform;
  // Let every deadline and time budget pass first.
  await clock.runUntil(clock.now + LIMITS_MS);
  const ended = [...tasks.values()].filter(({ disk }) => isEnded(disk));
  if (ended.length === 0) return [];
  const ends = ended.map(({ disk }) => endedAtOn(disk) ?? 0);
  await clock.runUntil(Math.min(...ends) + DAY_MS - MINUTE_MS);
  if (rng.oneIn(2)) platform.actors().forEach((object) => object.evict());
  faultPlan.restart(clock.now);
  platform.trace?.("faults begin again");
  await clock.runUntil(Math.max(...ends) + DAY_MS + MINUTE_MS);
  faultPlan.isOver = true;
  platform.trace?.("the second period of faults is over");
  // The platform drops an alarm that has failed seven times. The next request to the task sets it again.
  for (const { name, disk } of ended) {
    if (disk.alarm === null && disk.tables.size > 0)
      void platform
        .port(name)
        .read(ANYBODY)
        .catch(() => {});
  }
  await clock.runUntil(clock.now + PURGED_MS);
  const left = ended.flatMap(({ name, disk }) => {
    faultPlan.note("retention over");
    return [
      ...(disk.tables.size > 0 || disk.kv.size > 0 ? [`${name}: its log remains`] : []),
      ...(shards.some(({ directory }) => directory.has(name)) ? [`${name}: its row remains`] : []),
      ...(shards[0].ratedElsewhere.has(name) ? [`${name}: its rating remains`] : []),
      ...([...files.keys].some((key) => key.startsWith(`tasks/${name}/`))
        ? [`${name}: files remain`]
        : []),
      ...(disk.alarm === null ? [] : [`${name}: an alarm remains`]),
    ];
  });
  const isTwice = [...platform.fed().values()].some((times) => times !== 1);
  return isTwice ? [...left, "the feed received known events again"] : left;
}
