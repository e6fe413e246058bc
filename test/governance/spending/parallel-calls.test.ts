import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { setting } from "../../../scripts/proof/setting.ts";
import { limitStub } from "../../../src/governance/spending/limit.rpc.ts";
import { NO_AMOUNTS, type LimitTerms } from "../../../src/governance/model/spending/limit.ts";
import { post } from "../../support/client.ts";
import { stopClock } from "../../support/tasks.ts";

/** Set by LIMIT_CALLS. */
const CALLS = setting("LIMIT_CALLS", 500);
const PRICE = 0.01;
/** Half of the calls fit into this limit. */
const LIMIT = Math.floor(CALLS / 2) * PRICE;

beforeAll(stopClock);

function termsOf(change: Partial<LimitTerms>): LimitTerms {
  return {
    id: "money",
    subject: "all ",
    measure: "usd",
    per: "total",
    timeZone: "UTC",
    limit: LIMIT,
    warnAt: 1,
    onExceeded: "deny",
    ...change,
  };
}

describe(`${CALLS} parallel calls`, () => {
  it("exactly the calls that fit into the limit are reserved, and the settled costs add up", async () => {
    vi.spyOn(console, "warn").mockReturnValue();
    const limits = [termsOf({}), termsOf({ id: "calls", measure: "calls", limit: CALLS })];
    const amounts = { usd: PRICE, calls: 1, tokens: 0 };
    const ids = Array.from({ length: CALLS }, () => crypto.randomUUID());
    const stub = limitStub(env.LIMITS);
    const decisions = await Promise.all(ids.map((id) => stub.reserve(id, amounts, limits)));
    const granted = ids.filter((_, index) => decisions[index]?.isGranted === true);
    expect(granted).toHaveLength(Math.floor(CALLS / 2));
    expect(await stub.readUses(limits)).toMatchObject([
      { used: 0, reserved: LIMIT },
      { used: 0, reserved: granted.length },
    ]);
    await evictAllDurableObjects();

    // Every second call costs nothing, and every third reports twice.
    const again = limitStub(env.LIMITS);
    await Promise.all(
      granted.flatMap((id, index) => {
        const used = index % 2 === 0 ? amounts : NO_AMOUNTS;
        return Array.from({ length: index % 3 === 0 ? 2 : 1 }, () => again.settle(id, used));
      }),
    );
    const paid = Math.ceil(granted.length / 2);
    const [money, calls] = await again.readUses(limits);
    expect(money?.used).toBeCloseTo(paid * PRICE, 6);
    expect([money?.reserved, calls?.used, calls?.reserved]).toEqual([0, paid, 0]);
  }, 600_000);

  it("an amount that is split into many calls over REST is limited like a single one", async () => {
    vi.spyOn(console, "warn").mockReturnValue();
    await env.DB.prepare(
      "UPDATE tools SET price_free = 0, price_overage = 0.25, rate_requests = 1000000",
    ).run();
    const rule = { scope: { all: true }, measure: "usd", per: "day", limit: 5 };
    await post("/agents/limits", { id: "five-dollars", name: "Five", ...rule });
    const answers = await Promise.all(
      Array.from({ length: 60 }, () =>
        post("/agents/tools/json-workbench/invoke", {
          capability: "query",
          parameters: { document: "[1]", path: "$[0]" },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 402)).toHaveLength(40);
  });
});
