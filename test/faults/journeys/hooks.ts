import { expect } from "vitest";
import { FEED_WEBHOOKS_CACHE_MS } from "../../../src/events/limits.ts";
import { del } from "../../support/client.ts";
import { passTime } from "../../support/tasks.ts";
import { arrived, ELSEWHERE } from "../elsewhere.ts";
import { expectEnded } from "../log.ts";
import { createOnce, dataOf, TEXT, unique, type Journey } from "./journey.ts";

/** A webhook is made, and hears of everything that a task does from then on. */
export const hooks: Journey = {
  async prepare() {
    const path = `/in/${unique("hook")}`;
    const url = `${ELSEWHERE}${path}`;
    return async (client, world) => {
      const ours = async (): Promise<string[]> => {
        const { webhooks } = dataOf(await client.get("/agents/webhooks?limit=100"), 200);
        const made: { id: string; url: string }[] = webhooks;
        return made.filter((one) => one.url === url).map(({ id }) => id);
      };
      await client.once("/agents/webhooks", { url }, async () => (await ours()).length > 0);
      const [id] = await ours();
      if (id === undefined) throw new Error("The webhook that was answered for is not listed");
      world.webhooks.add(id);

      const taskId = await createOnce(client, world, { task: "Wait", context: { text: TEXT } });
      await world.wake();
      // A webhook whose creation broke off is found by the feed when it next looks for such.
      passTime(FEED_WEBHOOKS_CACHE_MS + 1);
      await client.once(`/agents/tasks/${taskId}/cancel`, {}, async () => {
        const { status } = dataOf(await client.get(`/agents/tasks/${taskId}`), 200);
        return status === "cancelled";
      });
      await world.wake();

      return async () => {
        const { log } = await expectEnded(taskId, "cancelled");
        const told = log.map(({ seq, type }) => `${taskId} ${seq} task.${type}`);
        // At least once each, and first in their order.
        expect([...new Set(arrived.get(path))]).toEqual(told);
        for (const one of await ours())
          expect((await del(`/agents/webhooks/${one}`)).status).toBe(200);
      };
    };
  },
};
