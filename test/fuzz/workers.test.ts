import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { sendBytes } from "../support/raw-request.ts";
import { stopClock } from "../support/tasks.ts";
import { eventsOf, fileKeysOf } from "../support/task-state.ts";
import { claimOne, heldTask, waitingTask } from "../tasks/workers/fixtures.ts";
import { mutateBody, text } from "./request-generator.ts";
import { expectValidResponse } from "./invariants.ts";

const SEED = 20_260_803;
const RUNS = 300;

let agentId = "";
let id = "";
let lease = "";

beforeAll(async () => {
  stopClock();
  ({ agentId, id, lease } = await heldTask());
});

/** If a report has ended the current task's work, claims another task for the next report. */
async function goOn(isOver: boolean): Promise<void> {
  if (!isOver) return;
  await waitingTask(agentId);
  // The claim may return a released task instead of the new one.
  const claimed = await claimOne(agentId);
  id = claimed.taskId;
  lease = claimed.lease.token;
}

const look = async (): Promise<unknown> => [await eventsOf(id), await fileKeysOf(id)];

const RESULT = { summary: "s", insights: ["i"], recommendations: ["r"] };
const QUALITY = { score: 1, accuracy: 2, completeness: 3, clarity: 4 };
const REPORTS: readonly Readonly<Record<string, unknown>>[] = [
  { type: "heartbeat" },
  { type: "progress", progress: 1, phase: "p", work: { a: 1 } },
  { type: "blocked", kind: "approval", question: "q", work: { a: 1 } },
  { type: "review", result: RESULT, quality: QUALITY },
  { type: "completed", result: RESULT, quality: QUALITY },
  { type: "failed", error: { message: "m", retryable: false, details: { a: 1 } } },
  { type: "released", reason: "r", work: { a: 1 } },
];

describe("a task that a worker has claimed", () => {
  it(
    "any report is accepted or rejected, and a rejected report changes nothing",
    { timeout: 60_000 },
    async () => {
      const seen = new Set<number>();
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...REPORTS).chain(mutateBody), async (body) => {
          const before = await look();
          const sent = new TextEncoder().encode(
            body.replace(/^\{/, `{"lease":"${lease}",`).replace(",}", "}"),
          );
          const answer = await sendBytes("POST", `/agents/tasks/${id}/report`, sent);
          expectValidResponse(answer);
          seen.add(answer.status);
          if (answer.status >= 400) expect(await look()).toEqual(before);
          await goOn(answer.status === 200 && answer.body.data.stop);
        }),
        { seed: SEED, numRuns: RUNS },
      );
      expect([...seen]).toEqual(expect.arrayContaining([200, 400]));
    },
  );

  it(
    "any upload is accepted or rejected, and a rejected upload stores nothing",
    { timeout: 60_000 },
    async () => {
      const header = (values: readonly string[]) =>
        fc.option(fc.oneof(fc.constantFrom(...values), fc.string({ unit: "grapheme-ascii" })), {
          freq: 3,
        });
      const headers = fc.record({
        "Content-Type": header(["text/csv", "a/b;c=d", "text", ""]),
        "Content-Length": header(["0", "3", "4", "-1", "1e1", "99999999999999999999"]),
        "Content-Digest": header([
          "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:",
          "sha-256=::",
        ]),
        "Content-Encoding": fc.option(fc.constant("gzip"), { freq: 1 }),
      });
      const names = fc.oneof(fc.constantFrom("a.txt", "b.csv", "..%2f", "%2e%2e"), text);
      const upload = fc.record({
        name: names,
        type: fc.option(text),
        headers,
        isOurs: fc.boolean(),
      });
      const seen = new Set<number>();
      await fc.assert(
        fc.asyncProperty(upload, async ({ name, type, headers: given, isOurs }) => {
          const before = await look();
          const query = type === null ? "" : `?type=${encodeURIComponent(type.toWellFormed())}`;
          const path = `/agents/tasks/${id}/deliverables/${encodeURIComponent(name.toWellFormed())}`;
          const body = new TextEncoder().encode("abc");
          const plain = isOurs
            ? { "Content-Length": "3", "Content-Encoding": null, "Content-Digest": null }
            : {};
          const sent = { "Bosun-Lease": lease, ...given, ...plain };
          const answer = await sendBytes("PUT", `${path}${query}`, body, sent);
          expectValidResponse(answer);
          seen.add(answer.status);
          if (answer.status >= 400) expect(await look()).toEqual(before);
          await goOn((await eventsOf(id)).length > 40);
        }),
        { seed: SEED, numRuns: RUNS },
      );
      expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 415]));
    },
  );
});
