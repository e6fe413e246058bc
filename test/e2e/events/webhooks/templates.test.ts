import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { textIn } from "../../../events/webhooks/chat-payloads.ts";
import { get, patch, post } from "../../../support/client.ts";
import { expectProblems } from "../../../support/expect-errors.ts";
import { stopClock, taskIn } from "../../../support/tasks.ts";
import {
  deliveriesOf,
  publishEvents,
  createWebhook,
  newTaskId,
  Receiver,
  settle,
  shown,
  verified,
} from "./fixtures.ts";

beforeAll(stopClock);

const TITLE = "Count <!channel> @everyone [x](https://evil.example)";
const HEADERS = { Authorization: "Bearer s3cret-of-receiver", "X-Tenant": "s3cret-tenant" };

/** Creates a webhook and a receiver, and publishes the event of a failed task. */
async function deliverEvent(body: Parameters<typeof createWebhook>[1]) {
  const receiver = new Receiver();
  const hook = await createWebhook(receiver, body);
  const data = { error: { code: "TOOL_ERROR", message: "It did not answer.", retryable: true } };
  await publishEvents(newTaskId(), ["failed"], { title: TITLE, data });
  await settle(hook.id);
  return { receiver, ...hook };
}

describe("a webhook's message", () => {
  it("a message contains the title of its task", async () => {
    const receiver = new Receiver();
    const { id, secret } = await createWebhook(receiver);
    const taskId = await taskIn("completed");
    await settle(id);
    const { task } = (await get(`/agents/tasks/${taskId}`)).body.data;
    const arrived = await receiver.seen(1);
    for (const one of arrived) expect(verified(one, secret).data.title).toBe(task);
    const feed = (await get("/agents/events?from=oldest&limit=100")).body.data.events;
    expect(feed.find((one: { taskId: string }) => one.taskId === taskId).title).toBe(task);
  });

  it("a filter accepts event types with the prefix 'task.'", async () => {
    const receiver = new Receiver();
    const { id, secret } = await createWebhook(receiver, {
      types: ["task.failed", "failed", "completed"],
    });
    expect((await shown(id)).types).toEqual(["failed", "completed"]);
    await publishEvents(newTaskId(), ["created", "failed"]);
    await settle(id);
    const arrived = await receiver.seen(1);
    expect(arrived.map((one) => verified(one, secret).type)).toEqual(["task.failed"]);
    const narrowed = await patch(`/agents/webhooks/${id}`, { types: ["task.rated"] });
    expect(narrowed.body.data.types).toEqual(["rated"]);
    const ofTypes = "/agents/events?from=oldest&type=task.failed,created";
    const page = await get(ofTypes, { documented: false });
    expect(page.status, page.text).toBe(200);
    const seen = new Set(page.body.data.events.map(({ type }: { type: string }) => type));
    expect(seen).toEqual(new Set(["created", "failed"]));
  });

  it.each(["slack", "teams", "discord"] as const)(
    "a %s message is valid for the service, signed, and mentions no one",
    async (format) => {
      const { receiver, id, secret } = await deliverEvent({ format });
      const [arrived] = await receiver.seen(1);
      if (arrived === undefined) throw new Error("Nothing arrived");
      const text = textIn(format, arrived.body);
      expect(text).toContain("The task failed: It did not answer.");
      // A Teams card mentions only people listed in its entities, and this one lists none.
      const mark = { slack: /<!channel>/, teams: /\]\(/, discord: /(?<!\\)@everyone|\]\(/ };
      expect(text).not.toMatch(mark[format]);
      verified(arrived, secret);
      expect((await shown(id)).format).toBe(format);
      const [line] = await deliveriesOf(id);
      const whole = await get(`/agents/webhooks/${id}/deliveries/${line.id}`);
      expect(whole.body.data.body).toEqual(JSON.parse(arrived.body));
    },
  );

  it("a message is rendered by the webhook's template and sent with its extra headers", async () => {
    const template = '{"summary": "{{ title }}", "what": {{ data.data.error | json }}}';
    const { receiver, id, secret } = await deliverEvent({ template, headers: HEADERS });
    const [arrived] = await receiver.seen(1);
    if (arrived === undefined) throw new Error("Nothing arrived");
    expect(verified(arrived, secret)).toEqual({
      summary: TITLE,
      what: { code: "TOOL_ERROR", message: "It did not answer.", retryable: true },
    });
    expect(arrived.headers).toMatchObject({
      authorization: HEADERS.Authorization,
      "x-tenant": HEADERS["X-Tenant"],
      "content-type": "application/json",
    });
    const answer = await get(`/agents/webhooks/${id}`);
    expect(answer.body.data).toMatchObject({
      template,
      headerNames: ["Authorization", "X-Tenant"],
    });
    expect(answer.text).not.toContain("s3cret");
    const rows = await env.DB.prepare("SELECT * FROM webhooks").all();
    expect(JSON.stringify(rows)).not.toContain("s3cret");
  });

  it("an attempt fails with a reason if the template does not render JSON", async () => {
    const { id } = await deliverEvent({ template: '{"a": {{ missing }}}' });
    const [line] = await deliveriesOf(id);
    expect(line.status).toBe("pending");
    expect(line.attempts[0].error).toContain(
      String.raw`did not render JSON, so nothing was sent. It rendered "{\"a\": }"`,
    );
    const whole = await get(`/agents/webhooks/${id}/deliveries/${line.id}`);
    expect(whole.status).toBe(200);
    expect(whole.body.data).not.toHaveProperty("body");
  });
});

describe("POST /agents/webhooks/:id/test", () => {
  it("a test message is rendered by the template and sent with the headers", async () => {
    const receiver = new Receiver();
    const template = '{"text": "{{ type }}: {{ title }}"}';
    const { id } = await createWebhook(receiver, { template, headers: HEADERS });
    expect((await post(`/agents/webhooks/${id}/test`)).body.data.delivered).toBe(true);
    const [arrived] = await receiver.seen(1);
    expect(JSON.parse(arrived?.body ?? "")).toEqual({ text: "webhook.test: Test message" });
    expect(arrived?.headers["x-tenant"]).toBe(HEADERS["X-Tenant"]);
    await patch(`/agents/webhooks/${id}`, { template: "{{ title }}" });
    const failed = (await post(`/agents/webhooks/${id}/test`)).body.data;
    expect(failed.delivered).toBe(false);
    expect(failed.attempt.error).toContain("did not render JSON");
    await patch(`/agents/webhooks/${id}`, { template: null, format: "discord" });
    expect((await post(`/agents/webhooks/${id}/test`)).body.data.delivered).toBe(true);
    expect(textIn("discord", (await receiver.seen(2))[1]?.body ?? "")).toContain("Test message");
  });
});

describe("extra headers", () => {
  it("extra headers survive a new secret, and are always replaced or removed together", async () => {
    const receiver = new Receiver();
    const { id } = await createWebhook(receiver, { headers: HEADERS });
    await post(`/agents/webhooks/${id}/secret`);
    await post(`/agents/webhooks/${id}/test`);
    await patch(`/agents/webhooks/${id}`, { headers: { "X-Other": "s3cret-other" } });
    await post(`/agents/webhooks/${id}/test`);
    expect((await shown(id)).headerNames).toEqual(["X-Other"]);
    await patch(`/agents/webhooks/${id}`, { headers: null });
    await post(`/agents/webhooks/${id}/test`);
    expect(await shown(id)).not.toHaveProperty("headerNames");
    const names = (await receiver.seen(3)).map(({ headers }) => [
      headers["x-tenant"],
      headers["x-other"],
    ]);
    expect(names).toEqual([
      [HEADERS["X-Tenant"], undefined],
      [undefined, "s3cret-other"],
      [undefined, undefined],
    ]);
  });

  it("extra headers do not follow the webhook to another origin", async () => {
    const { id } = await createWebhook(new Receiver(), { headers: HEADERS });
    const otherUrl = "http://127.0.0.1:9/hook";
    expectProblems(await patch(`/agents/webhooks/${id}`, { url: otherUrl }), {
      headers: /sent again or set to null/,
    });
    const moved = await patch(`/agents/webhooks/${id}`, { url: otherUrl, headers: null });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.body.data.url).toBe(otherUrl);
    const { id: near } = await createWebhook(new Receiver(), { headers: HEADERS });
    const url = new Receiver().url;
    expect((await patch(`/agents/webhooks/${near}`, { url })).body.data.headerNames).toHaveLength(
      2,
    );
  });
});
