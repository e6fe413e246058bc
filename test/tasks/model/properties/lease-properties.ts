import { nextAlarmAt, workDueAt } from "../../../../src/tasks/model/schedule.ts";
import { AUTOMATIC_ATTEMPTS_MAX, LEASE_BACKOFF_MS } from "../../../../src/tasks/limits.ts";
import { isActive, errorOf, type Task, workStartSeqOf } from "../../../../src/tasks/model/task.ts";
import type { WorkerReport } from "../../../../src/tasks/model/command.ts";
import { decide } from "../../../../src/tasks/model/decide.ts";
import type { Rng } from "../../../support/rng.ts";
import type { RunStep } from "./run-task.ts";
import { FORGED_TOKEN } from "./command-generator.ts";
import { REPORTS, reportOf } from "../fixtures.ts";
import { effectiveStatusOf } from "../transition-table.ts";
import { KEPT_INDEFINITELY } from "./time-properties.ts";
import { ensure, type Property } from "./property.ts";

const DAY_MS = 86_400_000;
const ANY_REPORT: readonly WorkerReport[] = Object.values(REPORTS);

export const LEASE_PROPERTIES: readonly Property[] = [
  {
    claim: "a stale or forged token is rejected with lease_lost, in any state and at any time",
    observe: () => rejectsOtherTokens,
  },
  {
    claim: "reports with an expired lease are rejected, even before the command `expire`",
    observe: () => rejectsLateReports,
  },
  {
    claim:
      "only the holder of the lease changes the task: at most one of several tokens is accepted",
    observe: () => hasOneHolder,
  },
  {
    claim: "a report never shortens a lease, and extends it to at most its full length from now",
    observe: () => renewsWithinBounds,
  },
  {
    claim: "a report extends the lease to its full length",
    observe: () => renewsOnReport,
  },
  {
    claim:
      "a worker that is working has a lease, and when it expires, an alarm retries or fails the task",
    observe: () => expiresOnTime,
  },
  {
    claim:
      "at most three attempts in a row are lost to expired leases, and a manual retry resets the count",
    observe: lostInARow,
  },
  {
    claim:
      "the pause between automatic retries doubles, up to half of it is random, and no work is due during it",
    observe: () => backsOff,
  },
];

function rejectsOtherTokens({ task, now, world: { tokens }, rng }: RunStep): void {
  const token = tokens[rng.below(tokens.length + 1)] ?? FORGED_TOKEN;
  if (token === task.lease?.token) return;
  const end = task.lease?.expiresAt ?? now;
  const at = rng.pick([now, end - 1, end, end + 1, now + DAY_MS]);
  const report = drawReport(rng);
  ensure(
    isLost(task, report, token, at),
    () => `${report.type} with ${token} was accepted at ${at}`,
  );
}

function rejectsLateReports({ task, now, rng }: RunStep): void {
  const isEnding = task.status === "in_progress" || errorOf(task)?.code === "LEASE_EXPIRED";
  if (task.lease === null || !isEnding) return;
  const { expiresAt: end, token } = task.lease;
  const at = rng.pick([end, end + 1, Math.max(now, end) + DAY_MS]);
  const report = drawReport(rng);
  ensure(
    isLost(task, report, token, at),
    () => `${report.type} was accepted at ${at}, after ${end}`,
  );
}

/** Checked only at some steps, because each check makes several decisions. */
function hasOneHolder({ task, now, world: { tokens }, rng }: RunStep): void {
  if (!rng.oneIn(8)) return;
  const isHeld = task.terms.executor === "worker" && effectiveStatusOf(task) === "in_progress";
  const holder = isHeld && now < (task.lease?.expiresAt ?? 0) ? task.lease?.token : null;
  for (const token of [FORGED_TOKEN, ...tokens.slice(-6)]) {
    const decided = decide(task, reportOf(REPORTS.completed, token), now);
    const isAccepted = decided.ok && decided.value.length > 0;
    ensure(
      isAccepted === (token === holder),
      () => `${token} was accepted, but ${holder} holds the task`,
    );
  }
}

function renewsWithinBounds({ before, task, command, now }: RunStep): void {
  const [earlier, later] = [before?.lease ?? null, task.lease];
  if (earlier === null || later === null || earlier.token !== later.token) return;
  const { seq, worker, seconds, expiresAt } = later;
  const isSame = earlier.seq === seq && earlier.worker === worker && earlier.seconds === seconds;
  ensure(isSame, () => `a lease changed to ${JSON.stringify(later)}`);
  ensure(expiresAt >= earlier.expiresAt, () => `the lease now ends sooner, at ${expiresAt}`);
  const latest = Math.max(earlier.expiresAt, now + seconds * 1_000);
  ensure(expiresAt <= latest, () => `the lease ends at ${expiresAt}, later than ${latest}`);
  const isAside = command.type === "spend" && expiresAt !== earlier.expiresAt;
  ensure(!isAside, () => "a spend by others extended the lease");
}

function renewsOnReport({ command, events, task, now }: RunStep): void {
  const isAccepted = command.type === "report" && events.at(-1)?.type === "progressed";
  if (!isAccepted || task.lease === null) return;
  const { expiresAt, seconds } = task.lease;
  ensure(expiresAt >= now + seconds * 1_000, () => `its lease still ends at ${expiresAt}`);
}

function expiresOnTime({ task, now, rng }: RunStep): void {
  const isHeld = isActive(task) && task.terms.executor === "worker";
  ensure((isActive(task) && task.lease !== null) === isHeld, () => "working without a lease");
  if (!isHeld || task.lease === null) return;
  const { seq, expiresAt: end } = task.lease;
  ensure(
    seq === workStartSeqOf(task),
    () => `the lease is from event ${seq}, but the work started with event ${workStartSeqOf(task)}`,
  );
  const wake = nextAlarmAt(task, null, KEPT_INDEFINITELY, now);
  ensure(wake !== null && wake <= end, () => `its alarm is at ${wake}, after its lease`);
  if (!rng.oneIn(4)) return;
  const unlimited = { ...task, deadline: null, budget: null };
  const [early, due] = [end - 1, end].map((at) => {
    const decided = decide(unlimited, { type: "expire", jitter: 0.5 }, at);
    return decided.ok ? decided.value.map(({ type }) => type).join() : "rejected";
  });
  ensure(early === "", () => `${early} before the lease expired`);
  const next = task.automaticRetries < AUTOMATIC_ATTEMPTS_MAX - 1 ? "retried" : "failed";
  ensure(due === next, () => `${due}, not ${next}, at the end of the lease`);
}

function lostInARow(): (step: RunStep) => void {
  let lost = 0;
  return ({ events }) => {
    for (const event of events) {
      if (event.type !== "retried" && event.type !== "failed") continue;
      const error = event.type === "failed" ? event.data.error : event.data.automatic?.error;
      if (event.type === "retried" && error === undefined) lost = 0;
      if (error?.code !== "LEASE_EXPIRED") continue;
      lost += 1;
      const type = lost < AUTOMATIC_ATTEMPTS_MAX ? "retried" : "failed";
      ensure(event.type === type, () => `${event.type} after ${lost} lost leases`);
    }
  };
}

function backsOff({ before, command, now, task }: RunStep): void {
  if (before === null || command.type !== "expire" || task.attempt === before.attempt) return;
  const pauseMs = (task.notBefore ?? 0) - now;
  const longestMs = LEASE_BACKOFF_MS * 2 ** (task.automaticRetries - 1);
  const isWithinBounds = pauseMs >= longestMs / 2 && pauseMs <= longestMs;
  ensure(
    isWithinBounds,
    () => `the pause is ${pauseMs} ms, but must be ${longestMs / 2} to ${longestMs}`,
  );
  const due = workDueAt(task, null, KEPT_INDEFINITELY, now);
  ensure(due === now + pauseMs, () => `work is due at ${due}, during the pause`);
  ensure(task.choice === before.choice, () => "it is assigned to another agent");
}

function drawReport(rng: Rng): WorkerReport {
  return ANY_REPORT[rng.below(ANY_REPORT.length)] ?? REPORTS.heartbeat;
}

function isLost(task: Task, report: WorkerReport, token: string, at: number): boolean {
  const decided = decide(task, reportOf(report, token), at);
  return !decided.ok && decided.failure.kind === "lease_lost";
}
