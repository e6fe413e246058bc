import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { feedOf } from "../../../src/events/port.ts";
import { WebhookObject } from "../../../src/webhooks/object.ts";
import { stopClock } from "../../support/tasks.ts";
import { deliveriesOf, happen, hookTo, newTaskId, Receiver } from "./fixture.ts";

beforeAll(stopClock);
vi.spyOn(console, "warn").mockImplementation(() => {});

/** Lets `before` do something ahead of each call of a webhook, and gives what each was told. */
function watchPokes(id: string, before: (place: number) => Promise<void>): number[] {
  const whole: typeof WebhookObject.prototype.poke = Reflect.get(WebhookObject.prototype, "poke");
  const told: number[] = [];
  WebhookObject.prototype.poke = async function poke(webhookId, position) {
    if (webhookId === id) await before(told.push(position));
    return whole.call(this, webhookId, position);
  };
  onTestFinished(() => {
    WebhookObject.prototype.poke = whole;
  });
  return told;
}

const typesOf = async (id: string) =>
  (await deliveriesOf(id)).map(({ event }) => event.type).toReversed();

it("a webhook that is up to date is told from where to read, so that it looks through nothing twice", async () => {
  const { id } = await hookTo(new Receiver(), { types: ["completed"] });
  const told = watchPokes(id, async () => {});
  const taskId = newTaskId();
  await happen(taskId, ["created", "completed"]);
  await happen(
    newTaskId(),
    Array.from({ length: 30 }, () => "progressed" as const),
  );
  const { next } = await feedOf(env.FEED).page(NOTHING, 0, 1);
  await happen(newTaskId(), ["completed"]);
  expect(told).toEqual([0, next]);
  expect(await typesOf(id)).toEqual(["completed", "completed"]);
});

it("calls that overtake or fail each other leave nothing out", async () => {
  const { id } = await hookTo(new Receiver());
  const held = Promise.withResolvers<void>();
  const told = watchPokes(id, async (place) => {
    if (place === 2) await held.promise;
    if (place === 4) throw new Error("Not this time");
  });
  await happen(newTaskId(), ["created"]);
  const second = happen(newTaskId(), ["started"]);
  await vi.waitUntil(() => told.length === 2);
  await happen(newTaskId(), ["blocked"]);
  held.resolve();
  await second;
  await happen(newTaskId(), ["responded"]);
  await happen(newTaskId(), ["completed"]);
  expect(told).toEqual([0, expect.any(Number), 0, expect.any(Number), 0]);
  expect(new Set(await typesOf(id))).toEqual(
    new Set(["created", "started", "blocked", "responded", "completed"]),
  );
  expect(await typesOf(id)).toHaveLength(5);
});

it("a webhook whose filter has changed is not told that it has heard of what passed before", async () => {
  const { id } = await hookTo(new Receiver(), { types: ["completed"] });
  const told = watchPokes(id, async () => {});
  await happen(newTaskId(), ["completed"]);
  await env.DB.prepare("UPDATE webhooks SET types = NULL WHERE id = ?").bind(id).run();
  await happen(newTaskId(), ["progressed"]);
  await feedOf(env.FEED).refresh();
  await happen(newTaskId(), ["failed"]);
  expect(told).toEqual([0, 0]);
  expect(await typesOf(id)).toEqual(["completed", "progressed", "failed"]);
});

it("while the registry cannot be read at all, events are kept and told of later", async () => {
  const { id } = await hookTo(new Receiver());
  const stub = env.FEED.get(env.FEED.idFromName("feed"));
  const ended = runInDurableObject(stub, (_, state) => state.abort("restarted by a test"));
  await expect(ended).rejects.toThrow("restarted");
  await env.DB.prepare("ALTER TABLE webhooks RENAME TO webhooks_away").run();
  const taskId = newTaskId();
  await expect(happen(taskId, ["created"])).rejects.toThrow("out of reach");
  await env.DB.prepare("ALTER TABLE webhooks_away RENAME TO webhooks").run();
  // What a task does that was not heard: it tells again, and cannot know what has arrived.
  const again = await feedOf(env.FEED).page({ ...NOTHING, types: null, taskId }, 0, 10);
  expect(again.events).toHaveLength(1);
  await feedOf(env.FEED).announce(again.events, false);
  expect(await typesOf(id)).toEqual(["created"]);
  expect((await feedOf(env.FEED).page({ ...NOTHING, types: null, taskId }, 0, 10)).events).toEqual(
    again.events,
  );
});

const NOTHING = { types: [], agentId: null, teamId: null, taskId: null };
