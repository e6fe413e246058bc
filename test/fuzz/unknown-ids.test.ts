import fc, { type Arbitrary } from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { send } from "../support/client.ts";
import { ROUTES } from "../support/routes.ts";
import { create, stopClock } from "../support/tasks.ts";
import { expectValidResponse, tableReader, storedObjects } from "./invariants.ts";

const SEED = 20_260_802;
const TASK_ROUTES = ROUTES.filter(({ path }) => path.startsWith("/agents/tasks/:id"));

/** Valid bodies for the routes, so that only the id is invalid. */
const BODIES: Readonly<Record<string, object>> = {
  "/agents/tasks/:id": { priority: "low" },
  "/agents/tasks/:id/respond": { response: "2025" },
  "/agents/tasks/:id/review": { decision: "approve" },
  "/agents/tasks/:id/feedback": { rating: 4 },
  "/agents/tasks/:id/report": { type: "heartbeat", lease: "lse_guess" },
};

/** Headers for a file upload; other requests ignore them. */
const FILE_HEADERS = { "Bosun-Lease": "lse_guess", "Content-Length": "2" };

const HEX = Array.from("0123456789abcdef");
const hexId = fc.string({ unit: fc.constantFrom(...HEX), minLength: 64, maxLength: 64 });

/** A real id with some of its digits changed. */
function near(id: string): Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.nat({ max: 63 }), fc.constantFrom(...HEX)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const digits = Array.from(id);
      for (const [at, digit] of changes) digits[at] = digit;
      return digits.join("");
    })
    .filter((guess) => guess !== id);
}

describe("ids that the service never issued", () => {
  let real = "";

  beforeAll(async () => {
    stopClock();
    real = await create();
  });

  it.each(TASK_ROUTES)(
    "$method $path returns 404 for an unknown id, writes no row and creates no object",
    { timeout: 60_000 },
    async ({ method, path }) => {
      const look = await tableReader();
      const before = [await look(), await storedObjects()];
      const body = method === "GET" ? undefined : JSON.stringify(BODIES[path] ?? {});
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            hexId,
            near(real),
            near(real).map((id) => id.toUpperCase()),
          ),
          async (id) => {
            const at = path.replace(":id", id).replace(":name", "summary.txt");
            const answer = await send(method, at, body, { headers: FILE_HEADERS });
            expectValidResponse(answer);
            expect([answer.status, answer.body.error.code]).toEqual([404, "TASK_NOT_FOUND"]);
          },
        ),
        { seed: SEED, numRuns: 60 },
      );
      expect([await look(), await storedObjects()]).toEqual(before);
    },
  );
});
