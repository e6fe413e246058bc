import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Rng } from "../support/rng.ts";
import { post, type Answer } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";
import { eventsOf } from "../support/task-state.ts";
import { interceptCalls } from "./interpose-bindings.ts";
import { ended, delayCalls, yieldTurns } from "./race.ts";
import { SEED } from "./settings.ts";

const ROUNDS = 3;
const REQUESTS = 100;

beforeAll(stopClock);

let replays = 0;
afterAll(() => {
  console.log(
    `one key: ${ROUNDS} rounds of ${REQUESTS} creates, ${ROUNDS} tasks, ${replays} replays`,
  );
});

describe("a hundred concurrent creates with one Idempotency-Key", () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))(
    "a hundred concurrent creates with one Idempotency-Key create one task (seed %d)",
    async (seed) => {
      const rng = new Rng(seed);
      const clear = interceptCalls(delayCalls(rng));
      const task = `One of ${seed}`;
      const headers = { "Idempotency-Key": `one-key-${seed}` };
      const creating = async (): Promise<Answer> => {
        await yieldTurns(rng.below(6));
        return post("/agents/tasks", { task }, { headers });
      };
      try {
        const answers = await Promise.all(Array.from({ length: REQUESTS }, creating));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
        expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
        const again = answers.filter((one) => one.headers.has("Idempotency-Replayed"));
        expect(again).toHaveLength(REQUESTS - 1);
        replays += again.length;
        const id: string = answers[0]?.body.data.taskId;
        expect(await eventsOf(id)).toHaveLength(1);
        expect((await post(`/agents/tasks/${id}/cancel`)).status).toBe(200);
        const { log } = await ended(id, "cancelled");
        expect(log.filter(({ type }) => type === "created")).toHaveLength(1);
      } finally {
        clear();
      }
      const rows = env.DB.prepare("SELECT count(*) AS count FROM directory WHERE task = ?");
      expect(await rows.bind(task).first("count")).toBe(1);
    },
  );
});
