import { evictAllDurableObjects } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { stopClock } from "../../support/tasks.ts";
import { agent, createTaskFor } from "../../agents/queue/fixtures.ts";
import { expectReplay, keyed, stored } from "./fixtures.ts";

beforeAll(stopClock);

it("a response of eight megabytes is stored in rows of at most 600,000 characters and replayed in full", async () => {
  const workers = await agent("worker", null);
  const context = { text: "x".repeat(1_000_000) };
  for (let task = 0; task < 8; task += 1) await createTaskFor(workers, { context });
  const body = { agentId: workers.id, max: 100, waitSeconds: 0 };
  const first = await keyed("large", "/agents/tasks/claim", body);
  expect(first.body.data.tasks).toHaveLength(8);
  await evictAllDurableObjects();
  const parts = (await stored("large")).filter(([name]) => name.startsWith("answer"));
  const sizes = parts.map(([, part]) => String(part).length);
  expect(sizes.length).toBeGreaterThan(8);
  expect(Math.max(...sizes)).toBe(600_000);
  expectReplay(await keyed("large", "/agents/tasks/claim", body), first);
});
