import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatEntityTag } from "../../src/kernel/entity-tag.ts";
import { Rng } from "../support/rng.ts";
import { patch, post, type Answer } from "../support/client.ts";
import { create, stopClock, wake } from "../support/tasks.ts";
import { claim, complete, OUTCOME, report, workerAgent } from "../tasks/workers/fixtures.ts";
import { interceptCalls } from "./interpose-bindings.ts";
import { expectLegal, readStoredTask } from "./expect-log.ts";
import * as racing from "./race.ts";
import { SEED } from "./settings.ts";

const RACES = 250;
/** The number of races that run at the same time, each with its own task. */
const LANES = 10;
/** The minimum number of wins for each side. */
const WINS_MIN = 10;

beforeAll(stopClock);

const figures: string[] = [];
afterAll(() => console.log(`races: ${figures.join("; ")}`));

interface Kind {
  readonly what: string;
  readonly sides: readonly [string, string];
  /** Creates one agent's tasks for the races. */
  readonly prepare: (agentId: string, count: number) => Promise<readonly racing.HeldTask[]>;
  /** Runs one race and returns the winner. */
  readonly run: (course: RaceInput) => Promise<string>;
}

interface RaceInput extends racing.HeldTask {
  readonly rng: Rng;
  readonly agentId: string;
  readonly index: number;
}

/** Runs all races of one kind. If a race fails, the error contains its seed. */
async function races({ what, sides, prepare, run }: Kind): Promise<number> {
  const tally = new racing.RaceScore();
  let done = 0;
  const lane = async (first: number): Promise<void> => {
    const agentId = await workerAgent();
    const subjects = await prepare(agentId, RACES / LANES);
    for (const [round, subject] of subjects.entries()) {
      const index = round * LANES + first;
      try {
        const rng = new Rng(SEED + index);
        tally.won(await run({ rng, agentId, index, ...subject }));
      } catch (cause) {
        throw new Error(`${what}: race ${index} of seed ${SEED}`, { cause });
      }
      done += 1;
    }
  };
  const clear = interceptCalls(racing.delayCalls(new Rng(SEED)));
  try {
    await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)));
  } finally {
    clear();
  }
  tally.expectBoth(sides, WINS_MIN);
  figures.push(`${what} ${done} (${tally.toString()})`);
  return done;
}

const ok = ({ status }: Answer): boolean => status === 200;

describe("two racing requests", { timeout: 300_000 }, () => {
  it("exactly one of a cancel and a completion by a worker, a reviewer or a built-in agent wins", async () => {
    const done = await races({
      what: "cancel against complete",
      sides: ["cancel", "complete"],
      prepare: racing.createHeldTasks,
      async run({ id, lease, rng, index }) {
        if (index % 10 === 9) return againstStep(rng);
        const isReviewed = index % 10 > 6;
        if (isReviewed) await report(id, lease, { type: "review", ...OUTCOME });
        const [cancelled, completed] = await racing.race(
          rng,
          () => post(`/agents/tasks/${id}/cancel`),
          () =>
            isReviewed
              ? post(`/agents/tasks/${id}/review`, { decision: "approve" })
              : complete(id, lease),
        );
        expect([ok(cancelled), ok(completed)].filter(Boolean)).toHaveLength(1);
        if (ok(cancelled)) racing.expectLoser(completed, "cancelled");
        else racing.expectLoser(cancelled, "completed");
        const { log } = await racing.ended(id, ok(cancelled) ? "cancelled" : "completed");
        const ends = log.filter(({ type }) => type === "cancelled" || type === "completed");
        expect(ends).toHaveLength(1);
        return ok(cancelled) ? "cancel" : "complete";
      },
    });
    expect(done).toBe(RACES);
  });

  it("exactly one of two racing retries wins", async () => {
    const done = await races({
      what: "retry against retry",
      sides: ["first", "second"],
      prepare: racing.createHeldTasks,
      async run({ id, lease, rng }) {
        await report(id, lease, { type: "failed", error: { message: "No." } });
        const retry = (): Promise<Answer> => post(`/agents/tasks/${id}/retry`);
        const answers = await racing.race(rng, retry, retry);
        expect(answers.filter(ok)).toHaveLength(1);
        racing.expectLoser(answers[ok(answers[0]) ? 1 : 0], "pending");
        const { log, task } = await readStoredTask(id);
        expectLegal(log);
        expect(log.filter(({ type }) => type === "retried")).toHaveLength(1);
        expect([task.status, task.attempt]).toEqual(["pending", 2]);
        return ok(answers[0]) ? "first" : "second";
      },
    });
    expect(done).toBe(RACES);
  });

  it("exactly one of two racing claims gets the task", async () => {
    const done = await races({
      what: "claim against claim",
      sides: ["first", "second"],
      // Each race creates its own task. If several were waiting, the loser would claim another one.
      prepare: async (_, count) => Array.from({ length: count }, () => ({ id: "", lease: "" })),
      async run({ agentId, rng }) {
        const [id = ""] = await racing.createWaitingTasks(agentId, 1);
        const lead = rng.below(9) - 4;
        const [first, second] = await Promise.all([
          racing.yieldTurns(lead).then(() => claim(agentId, { worker: "first" })),
          racing.yieldTurns(-lead).then(() => claim(agentId, { worker: "second" })),
        ]);
        const [won, ...more] = [...first, ...second];
        expect([won?.taskId, more]).toEqual([id, []]);
        const { log, task } = await readStoredTask(id);
        expectLegal(log);
        expect(log.filter(({ type }) => type === "started")).toHaveLength(1);
        expect(task.lease?.token).toBe(won.lease.token);
        return first.length > 0 ? "first" : "second";
      },
    });
    expect(done).toBe(RACES);
  });

  it("a PATCH that races the end of its task is either applied or rejected, with or without If-Match", async () => {
    const done = await races({
      what: "PATCH against the end",
      sides: ["in time", "too late"],
      prepare: racing.createHeldTasks,
      async run({ id, lease, rng, index }) {
        const isMatched = index % 2 === 0;
        const isCancelled = index % 3 === 0;
        const { task: before } = await readStoredTask(id);
        const headers = isMatched ? { "If-Match": formatEntityTag(before.seq) } : {};
        const [patched, end] = await racing.race(
          rng,
          () => patch(`/agents/tasks/${id}`, { notes: "In time?" }, { headers }),
          () => (isCancelled ? post(`/agents/tasks/${id}/cancel`) : complete(id, lease)),
        );
        expect(ok(end), end.text).toBe(true);
        const status = isCancelled ? "cancelled" : "completed";
        const { log, task } = await racing.ended(id, status);
        expect(log.filter(({ type }) => type === "updated")).toHaveLength(ok(patched) ? 1 : 0);
        expect(task.notes).toBe(ok(patched) ? "In time?" : null);
        if (!ok(patched) && isMatched) {
          expect([patched.status, patched.body.error.code]).toEqual([412, "PRECONDITION_FAILED"]);
        } else if (!ok(patched)) racing.expectLoser(patched, status);
        return ok(patched) ? "in time" : "too late";
      },
    });
    expect(done).toBe(RACES);
  });
});

/** Cancels a task during an alarm run, after a random number of its steps. */
async function againstStep(rng: Rng): Promise<string> {
  const id = await create({ agentId: "researcher", context: { text: "Two wharves burnt." } });
  for (let steps = rng.below(6); steps > 0; steps -= 1) await wake(id);
  const cancel = racing.yieldTurns(rng.below(12)).then(() => post(`/agents/tasks/${id}/cancel`));
  const [answer] = await Promise.all([cancel, wake(id)]);
  if (!ok(answer)) racing.expectLoser(answer, "completed");
  await racing.ended(id, ok(answer) ? "cancelled" : "completed");
  return ok(answer) ? "cancel" : "complete";
}
