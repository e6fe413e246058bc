import { describe, expect, it } from "vitest";
import { post } from "../../../support/client.ts";
import { create } from "../../../support/tasks.ts";
import { createWebhook, Receiver } from "./fixtures.ts";

describe("webhooks with the real clock", () => {
  it("standardwebhooks verifies a task's messages with the receiver's clock, and with both secrets after a rotation", async () => {
    const receiver = new Receiver();
    const { id, secret } = await createWebhook(receiver, { types: ["created", "completed"] });
    const { secret: next } = (await post(`/agents/webhooks/${id}/secret`)).body.data;
    await receiver.answers({ secrets: [secret, next, `whsec_${btoa("x".repeat(24))}`] });
    const taskId = await create();
    const arrived = await receiver.seen(2);
    expect(arrived.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "task.created", data: { taskId } },
      { type: "task.completed", data: { taskId } },
    ]);
    expect(arrived.map(({ verified }) => verified)).toEqual([
      [true, true, false],
      [true, true, false],
    ]);
  });

  it("a failed delivery is attempted again after at least five seconds", async () => {
    const receiver = new Receiver();
    await receiver.answers({ status: 503 });
    await createWebhook(receiver, { types: ["created"] });
    await create();
    const [first] = await receiver.seen(1);
    await receiver.answers({ status: 200 });
    const [, second] = await receiver.seen(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const instants = [first, second].map((one) => Number(one?.headers["webhook-timestamp"]));
    expect((instants[1] ?? 0) - (instants[0] ?? 0)).toBeGreaterThanOrEqual(5);
  });
});
