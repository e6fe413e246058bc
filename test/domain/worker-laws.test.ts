import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextWakeAt, workDueAt, type Pace } from "../../src/domain/clockwork.ts";
import { AUTOMATIC_ATTEMPTS_MAX, LEASE_BACKOFF_MS } from "../../src/domain/limits.ts";
import { isAtWork, placeOf } from "../../src/domain/place.ts";
import type { Task } from "../../src/domain/task.ts";
import { decide } from "../../src/domain/transitions.ts";
import { life } from "./arbitrary.ts";
import { FORGED } from "./moves.ts";
import { REPORTS, reportOf } from "./play.ts";

const RUNS = { numRuns: 200 };
/** Always the same lives, as whether they are enough must not depend on chance. */
const SAMPLE = { numRuns: 400, seed: 4 };
const PACE: Pace = { stepIntervalMs: 500, retentionMs: null };
const DAY_MS = 86_400_000;
const ALL_REPORTS = Object.values(REPORTS);

/** Instants at which rules about a lease could go wrong. */
function instantsFor({ lease }: Task, now: number): number[] {
  const end = lease?.expiresAt ?? now;
  return [now, end - 1, end, end + 1, now + DAY_MS];
}

describe(
  "whatever is asked of a task that workers do, in whatever order and at whatever time",
  { timeout: 30_000 },
  () => {
    it("random lives hold what these laws are about, or they would prove little", () => {
      const seen = new Set<string>();
      for (const { moves } of fc.sample(life, SAMPLE)) {
        for (const { command, before, task, decided } of moves) {
          if (command.type === "report") {
            const verdict = decided.ok ? `${decided.value.length} events` : decided.failure.kind;
            seen.add(`${command.report.type}: ${verdict}`);
          }
          if (task.attempt > before.attempt) seen.add(`${command.type} begins another attempt`);
          if (command.type === "tick" && task.error?.code === "LEASE_EXPIRED") seen.add("given up");
          if (command.type === "admit" && placeOf(task) === "none")
            seen.add("released at the door");
          if (command.type === "admit" && before.status === "in_progress" && isAtWork(task)) {
            seen.add(task.lease === null ? "resumed in a place" : "resumed by a worker");
          }
        }
      }
      for (const type of Object.keys(REPORTS)) {
        expect(seen).toContain(`${type}: lease_lost`);
        const accepted = type === "heartbeat" ? "0 events" : "1 events";
        expect(seen).toContain(`${type}: ${accepted}`);
      }
      expect(seen).toContain("progress: validation");
      expect(seen).toContain("completed: 0 events");
      expect(seen).toContain("tick begins another attempt");
      expect(seen).toContain("release begins another attempt");
      expect(seen).toContain("given up");
      expect(seen).toContain("released at the door");
      expect(seen).toContain("resumed in a place");
      expect(seen).toContain("resumed by a worker");
    });

    it("a stale or forged token is refused with lease_lost, in any state and at any time", () => {
      fc.assert(
        fc.property(life, ({ states, tokens }) => {
          for (const { task, now } of states) {
            const others = [FORGED, ...tokens].filter((token) => token !== task.lease?.token);
            const heard = others.filter((token) =>
              instantsFor(task, now).some((at) =>
                ALL_REPORTS.some((report) => !isLost(decide(task, reportOf(report, token), at))),
              ),
            );
            expect(heard).toEqual([]);
          }
        }),
        { numRuns: 100 },
      );
    });

    it("from the end of a lease on nothing is accepted of it, whether or not the clock was noticed", () => {
      fc.assert(
        fc.property(life, ({ states }) => {
          for (const { task, now } of states) {
            if (task.lease === null || task.status !== "in_progress") continue;
            const end = task.lease.expiresAt;
            const { token } = task.lease;
            for (const at of [end, end + 1, Math.max(now, end) + DAY_MS]) {
              const heard = ALL_REPORTS.filter(
                (report) => !isLost(decide(task, reportOf(report, token), at)),
              );
              expect(heard).toEqual([]);
            }
          }
        }),
        RUNS,
      );
    });

    it("only who holds the task changes it: of reports with different tokens at most one is heard", () => {
      fc.assert(
        fc.property(life, ({ states, tokens }) => {
          for (const { task, now } of states) {
            const heard = [FORGED, ...tokens].filter((token) => {
              const decided = decide(task, reportOf(REPORTS.completed, token), now);
              return decided.ok && decided.value.length > 0;
            });
            const isHeld = placeOf(task) === "held" && now < (task.lease?.expiresAt ?? 0);
            expect(heard).toEqual(isHeld ? [task.lease?.token] : []);
          }
        }),
        RUNS,
      );
    });

    it("a lease ends no sooner for a report, and never later than its length from now", () => {
      fc.assert(
        fc.property(life, ({ moves }) => {
          for (const { before, task, command, now } of moves) {
            const [earlier, later] = [before.lease, task.lease];
            if (later === null || earlier?.token !== later.token) continue;
            expect(later).toEqual({ ...earlier, expiresAt: later.expiresAt });
            expect(later.expiresAt).toBeGreaterThanOrEqual(earlier.expiresAt);
            const latest = Math.max(earlier.expiresAt, now + later.seconds * 1_000);
            expect(later.expiresAt).toBeLessThanOrEqual(latest);
            if (command.type === "spend") expect(later).toEqual(earlier);
          }
        }),
        RUNS,
      );
    });

    it("a worker at work has a lease, at whose end the task wakes and begins again, or gives up", () => {
      fc.assert(
        fc.property(life, ({ states }) => {
          for (const { task, now } of states) {
            const isHeld = isAtWork(task) && task.terms.executor === "worker";
            expect(isAtWork(task) && task.lease !== null).toBe(isHeld);
            if (!isHeld || task.lease === null) continue;
            const end = task.lease.expiresAt;
            expect(task.lease.seq).toBe(task.openedSeq);
            expect(nextWakeAt(task, null, PACE, now)).toBeLessThanOrEqual(end);
            const unlimited = { ...task, deadline: null, budget: null };
            const tick = { type: "tick", jitter: 0.5 } as const;
            expect(decide(unlimited, tick, end - 1)).toEqual({ ok: true, value: [] });
            const type = task.automaticRetries < AUTOMATIC_ATTEMPTS_MAX - 1 ? "retried" : "failed";
            expect(decide(unlimited, tick, end)).toMatchObject({ ok: true, value: [{ type }] });
          }
        }),
        RUNS,
      );
    });

    it("at most three attempts in a row are lost for want of a sign of life; a person's retry counts anew", () => {
      fc.assert(
        fc.property(life, ({ log }) => {
          let lost = 0;
          for (const event of log) {
            if (event.type === "retried" && event.data.automatic === undefined) lost = 0;
            const error =
              event.type === "retried"
                ? event.data.automatic?.error
                : event.type === "failed"
                  ? event.data.error
                  : undefined;
            if (error?.code !== "LEASE_EXPIRED") continue;
            lost += 1;
            expect(event.type).toBe(lost < AUTOMATIC_ATTEMPTS_MAX ? "retried" : "failed");
          }
        }),
        RUNS,
      );
    });

    it("between them lies a pause that doubles, half of it by chance, in which nothing is done", () => {
      fc.assert(
        fc.property(life, ({ moves }) => {
          for (const { before, command, now, task } of moves) {
            if (command.type !== "tick" || task.attempt === before.attempt) continue;
            const pauseMs = (task.notBefore ?? 0) - now;
            const longestMs = LEASE_BACKOFF_MS * 2 ** (task.automaticRetries - 1);
            expect(pauseMs).toBeGreaterThanOrEqual(longestMs / 2);
            expect(pauseMs).toBeLessThanOrEqual(longestMs);
            expect(workDueAt(task, null, PACE, now)).toBe(now + pauseMs);
            expect(task.choice).toEqual(before.choice);
          }
        }),
        RUNS,
      );
    });
  },
);

function isLost(decided: ReturnType<typeof decide>): boolean {
  return !decided.ok && decided.failure.kind === "lease_lost";
}
