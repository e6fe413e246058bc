import { beforeAll, describe, expect, it } from "vitest";
import { feedDataOf } from "../../../../scripts/proof/check/feed-data.ts";
import type { EventShape } from "../../../../scripts/proof/responses.ts";
import { get } from "../../../support/client.ts";
import { stopClock, taskIn } from "../../../support/tasks.ts";
import { createWebhookWithReceiver, shown, verified, wakeHook } from "./fixtures.ts";

beforeAll(stopClock);

describe("a webhook", () => {
  it("a webhook receives every event of a task once and in order, and standardwebhooks verifies each one", async () => {
    const { receiver, id, secret } = await createWebhookWithReceiver();
    const taskId = await taskIn("completed");
    expect(await wakeHook(id)).toBe(true);
    const log = (await get(`/agents/tasks/${taskId}/events`)).body.data.events;
    const arrived = await receiver.seen(log.length);
    const payloads = arrived.map((one) => verified(one, secret));
    expect(payloads.map(({ data }) => data.taskId)).toEqual(log.map(() => taskId));
    expect(payloads.map(({ type }) => type)).toEqual(
      log.map(({ type }: { type: string }) => `task.${type}`),
    );
    expect(payloads.map(({ data: { seq, type, at, data } }) => ({ seq, type, at, data }))).toEqual(
      log.map((event: EventShape) => ({ ...event, data: feedDataOf(event) })),
    );
    expect(payloads.map(({ timestamp }) => timestamp)).toEqual(
      log.map(({ at }: { at: string }) => at),
    );
    expect(arrived.map(({ headers }) => headers["webhook-id"])).toEqual(
      log.map(
        ({ seq, at }: { seq: number; at: string }) => `evt_${taskId}_${seq}_${Date.parse(at)}`,
      ),
    );
    expect(arrived[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Bosun-Webhooks/1",
    });
    expect(payloads.at(-1)?.data.agentId).toMatch(/\S/);
    const { deliveries, enabled } = await shown(id);
    expect(enabled).toBe(true);
    expect(deliveries).toMatchObject({ pending: 0, consecutiveFailures: 0 });
  });
});
