import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { SCOPES } from "../../src/keys/model/key.ts";
import { del, get, ROOT, type Answer } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";
import { tableReader } from "../fuzz/invariants.ts";
import { A2A_ENDPOINTS, A2A_METHODS, rpc } from "./a2a-endpoints.ts";
import { sendRequest } from "./send-request.ts";
import { registerTenants, OWN_TENANT, OTHER_TENANT } from "./tenants.ts";
import type { Endpoint, Prepared } from "./endpoint.ts";
import {
  invalidKeyKinds,
  forgetKeyKinds,
  validKeyKinds,
  ROOT_KIND,
  type KeyKind,
} from "./key-kinds.ts";
import { MCP_ENDPOINTS, mcp } from "./mcp-endpoints.ts";
import { REST_ENDPOINTS } from "./rest-endpoints.ts";
import { expected, IN, SPENDING, type Verdict, type Whose } from "./rules.ts";
import { readVerdict } from "./read-verdict.ts";

const ENDPOINTS: readonly Endpoint[] = [...REST_ENDPOINTS, ...MCP_ENDPOINTS, ...A2A_ENDPOINTS];
const counts = new Map<string, number>();
let bad: readonly KeyKind[] = [];
let look: () => Promise<unknown> = async () => null;

beforeAll(async () => {
  stopClock();
  forgetKeyKinds();
  await registerTenants();
  bad = await invalidKeyKinds();
  look = await tableReader();
});

// Webhooks without a filter receive every event, so leftover webhooks would slow down later tests.
afterEach(async () => {
  const { webhooks } = (await get("/agents/webhooks?limit=100")).body.data;
  for (const { id } of webhooks) await del(`/agents/webhooks/${id}`);
});

/**
 * Whether a response matches the expected verdict. An accepted request must also have the expected
 * status.
 */
function isAs(
  verdict: Verdict,
  { protocol, asks, spends }: Endpoint,
  { status, expectedText }: Prepared,
  answer: Answer,
): boolean {
  if (verdict.endsWith("INSUFFICIENT_SCOPE")) {
    const message: string = answer.body?.error?.message ?? "";
    const lacking = [...(asks ?? []), ...(spends === true ? SPENDING : [])];
    if (!lacking.some((scope) => message === `This key lacks the scope ${scope}.`)) return false;
  }
  if (verdict !== IN) return readVerdict(protocol, answer) === verdict;
  if (answer.status !== status) return false;
  return expectedText === undefined
    ? readVerdict(protocol, answer) === IN
    : answer.text.includes(expectedText);
}

describe("the permissions of every kind of key at every endpoint", () => {
  it.each(ENDPOINTS)(
    "$name responds to every kind of key as the permission rules require",
    { timeout: 60_000 },
    async (endpoint) => {
      const wrong: string[] = [];
      const good = await validKeyKinds(endpoint);
      const own = await endpoint.prepare(OWN_TENANT);
      const judge = async (kind: KeyKind, whose: Whose, prepared: Prepared): Promise<void> => {
        const verdict = expected(endpoint, kind, whose);
        const asked = whose === "missing" ? prepared.missing : prepared.asked;
        if (asked === null)
          throw new Error(`${endpoint.name} has no request for a missing resource`);
        const answer = await sendRequest(asked, kind.authorization);
        const column = verdict === IN ? "in" : verdict.slice(0, 3);
        counts.set(column, (counts.get(column) ?? 0) + 1);
        if (isAs(verdict, endpoint, prepared, answer)) return;
        const got = `${answer.status} ${readVerdict(endpoint.protocol, answer)}`;
        wrong.push(
          `${kind.name}, ${whose}: ${verdict} expected, got ${got} ${answer.text.slice(0, 200)}`,
        );
      };

      // First come the requests that must be rejected and must change nothing, then those that must
      // be accepted.
      const isIn = (kind: KeyKind): boolean => expected(endpoint, kind, "own") === IN;
      const everybody = [...bad, ...good];
      const traces = async () => [await look(), await logOf(own), rival && (await logOf(rival))];
      const rival = endpoint.missing === null ? null : await endpoint.prepare(OTHER_TENANT);
      const before = await traces();
      for (const kind of everybody.filter((one) => !isIn(one))) await judge(kind, "own", own);
      if (rival !== null) {
        for (const kind of good.filter(isIn)) {
          if (kind.bound !== "unbound") await judge(kind, "rival", rival);
          if (own.missing !== null) await judge(kind, "missing", own);
        }
      }
      expect(wrong).toEqual([]);
      expect(await traces()).toEqual(before);

      let thing: Prepared | null = own;
      for (const kind of everybody.filter(isIn)) {
        thing ??= await endpoint.prepare(OWN_TENANT);
        await judge(kind, "own", thing);
        if (endpoint.changes) thing = null;
      }
      // These calls name the tenant's own agent, which has no grant for the rival's tool.
      const isCall = endpoint.asks?.includes("tools:invoke") ?? false;
      if (rival !== null && !isCall) await judge(ROOT_KIND, "rival", rival);
      expect(wrong).toEqual([]);
    },
  );

  /** A task's log; null if the endpoint names no task. */
  async function logOf({ taskId }: Prepared): Promise<unknown> {
    if (taskId === null) return null;
    return (await get(`/agents/tasks/${taskId}/events`)).body.data.events;
  }
});

describe("the coverage of the permission matrix", () => {
  it("the permission matrix covers every route and every scope", () => {
    const own = app.routes
      .filter(({ method, path }) => method !== "ALL" && method !== "OPTIONS" && path !== "/*")
      .map(({ method, path }) => `${method} ${path}`);
    expect(own.length).toBeGreaterThan(60);
    expect(REST_ENDPOINTS.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
    const asked = new Set(ENDPOINTS.flatMap(({ asks }) => asks ?? []));
    expect(SCOPES.filter((scope) => !asked.has(scope))).toEqual([]);
    expect(SPENDING.every((scope) => asked.has(scope))).toBe(true);
  });

  it("the permission matrix covers every MCP tool for tasks", async () => {
    const { tools } = (await sendRequest(mcp("tools/list"), `Bearer ${ROOT}`)).body.result;
    const names: string[] = tools.map(({ name }: { name: string }) => name);
    // Whether a key sees an approval depends on the call, which test/governance/approvals checks.
    const own = names.filter((name) => !name.includes("__") && name !== "get_approval");
    expect(own).toHaveLength(10);
    expect(MCP_ENDPOINTS.map(({ name }) => name)).toEqual(
      expect.arrayContaining(own.map((name) => `MCP ${name}`)),
    );
  });

  it("the permission matrix covers every A2A method", async () => {
    const answer = await sendRequest(rpc("Nothing", {}), `Bearer ${ROOT}`);
    const [, list = ""] = /A2A 1\.0 methods: ([^.]+)\./.exec(answer.body.error.message) ?? [];
    expect(list.split(", ").toSorted()).toEqual(A2A_METHODS.toSorted());
  });

  it("the permission matrix has enough admitted requests and enough 401, 403 and 404 responses", () => {
    const {
      in: admitted = 0,
      401: unknown = 0,
      403: forbidden = 0,
      404: missing = 0,
    } = Object.fromEntries(counts);
    expect(admitted).toBeGreaterThan(250);
    expect(unknown).toBeGreaterThan(1_000);
    expect(forbidden).toBeGreaterThan(1_000);
    expect(missing).toBeGreaterThan(100);
  });

  afterAll(() => {
    const cells = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const kinds = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
    console.info(`access: ${cells} cells of ${ENDPOINTS.length} endpoints: ${kinds}`);
  });
});
