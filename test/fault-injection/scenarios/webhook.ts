import { expect } from "vitest";
import { FEED_WEBHOOKS_CACHE_MS } from "../../../src/events/limits.ts";
import { del } from "../../support/client.ts";
import { passTime } from "../../support/tasks.ts";
import { receivedEvents, EXTERNAL_ORIGIN } from "../external-systems.ts";
import { expectEnded } from "../expect-log.ts";
import { createOnce, dataOf, TEXT, uniqueName, type Scenario } from "./scenario.ts";

/** Creates a webhook that receives all later events of a task. */
export const webhookScenario: Scenario = {
  async prepare() {
    const path = `/in/${uniqueName("hook")}`;
    const url = `${EXTERNAL_ORIGIN}${path}`;
    return async (client, alarmDriver) => {
      const ours = async (): Promise<string[]> => {
        const { webhooks } = dataOf(await client.get("/agents/webhooks?limit=100"), 200);
        const made: { id: string; url: string }[] = webhooks;
        return made.filter((one) => one.url === url).map(({ id }) => id);
      };
      await client.once("/agents/webhooks", { url }, async () => (await ours()).length > 0);
      const [id] = await ours();
      if (id === undefined) throw new Error("The created webhook is not in the list");
      alarmDriver.webhooks.add(id);

      const taskId = await createOnce(client, alarmDriver, {
        task: "Wait",
        context: { text: TEXT },
      });
      await alarmDriver.runAlarms();
      // If the creation was interrupted, the feed finds the webhook once its cached list has
      // expired.
      passTime(FEED_WEBHOOKS_CACHE_MS + 1);
      await client.once(`/agents/tasks/${taskId}/cancel`, {}, async () => {
        const { status } = dataOf(await client.get(`/agents/tasks/${taskId}`), 200);
        return status === "cancelled";
      });
      await alarmDriver.runAlarms();

      return async () => {
        const { log } = await expectEnded(taskId, "cancelled");
        const expected = log.map(({ seq, type }) => `${taskId} ${seq} task.${type}`);
        // Each event arrives at least once, and the first deliveries are in order.
        expect([...new Set(receivedEvents.get(path))]).toEqual(expected);
        for (const one of await ours())
          expect((await del(`/agents/webhooks/${one}`)).status).toBe(200);
      };
    };
  },
};
