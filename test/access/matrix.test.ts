import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import { SCOPES } from "../../src/keys/model/key.ts";
import { del, get, ROOT, type Answer } from "../support/client.ts";
import { stopClock } from "../support/tasks.ts";
import { tableReader } from "../fuzz/watch.ts";
import { A2A, A2A_METHODS, rpc } from "./a2a.ts";
import { ask } from "./ask.ts";
import { muster, OWN, RIVAL } from "./crew.ts";
import type { Endpoint, Prepared } from "./endpoint.ts";
import { badKinds, forgetKinds, goodKinds, ROOT_KIND, type Kind } from "./kinds.ts";
import { MCP, mcp } from "./mcp.ts";
import { REST } from "./rest.ts";
import { expected, IN, SPENDING, type Verdict, type Whose } from "./rules.ts";
import { verdictOf } from "./verdict.ts";

const ENDPOINTS: readonly Endpoint[] = [...REST, ...MCP, ...A2A];
const counts = new Map<string, number>();
let bad: readonly Kind[] = [];
let look: () => Promise<unknown> = async () => null;

beforeAll(async () => {
  stopClock();
  forgetKinds();
  await muster();
  bad = await badKinds();
  look = await tableReader();
});

// Each webhook is told of every event: those that are left over would slow all that follows.
afterEach(async () => {
  const { webhooks } = (await get("/agents/webhooks?limit=100")).body.data;
  for (const { id } of webhooks) await del(`/agents/webhooks/${id}`);
});

/** Whether an answer is what the rules say; of what is let in, with the status that it should have. */
function isAs(
  verdict: Verdict,
  { door, asks, spends }: Endpoint,
  { status, told }: Prepared,
  answer: Answer,
): boolean {
  if (verdict.endsWith("INSUFFICIENT_SCOPE")) {
    const message: string = answer.body?.error?.message ?? "";
    const lacking = [...(asks ?? []), ...(spends === true ? SPENDING : [])];
    if (!lacking.some((scope) => message === `This key lacks the scope ${scope}.`)) return false;
  }
  if (verdict !== IN) return verdictOf(door, answer) === verdict;
  if (answer.status !== status) return false;
  return told === undefined ? verdictOf(door, answer) === IN : answer.text.includes(told);
}

describe("who may do what: every kind of key at every endpoint", () => {
  it.each(ENDPOINTS)("$name", { timeout: 60_000 }, async (endpoint) => {
    const wrong: string[] = [];
    const good = await goodKinds(endpoint);
    const own = await endpoint.prepare(OWN);
    const judge = async (kind: Kind, whose: Whose, prepared: Prepared): Promise<void> => {
      const verdict = expected(endpoint, kind, whose);
      const asked = whose === "nowhere" ? prepared.nowhere : prepared.asked;
      if (asked === null) throw new Error(`${endpoint.name} has nothing that there is not`);
      const answer = await ask(asked, kind.authorization);
      const column = verdict === IN ? "in" : verdict.slice(0, 3);
      counts.set(column, (counts.get(column) ?? 0) + 1);
      if (isAs(verdict, endpoint, prepared, answer)) return;
      const got = `${answer.status} ${verdictOf(endpoint.door, answer)}`;
      wrong.push(
        `${kind.name}, ${whose}: ${verdict} expected, got ${got} ${answer.text.slice(0, 200)}`,
      );
    };

    // First all who are refused, of whom nothing may come; then all who are let in.
    const isIn = (kind: Kind): boolean => expected(endpoint, kind, "own") === IN;
    const everybody = [...bad, ...good];
    const traces = async () => [await look(), await logOf(own), rival && (await logOf(rival))];
    const rival = endpoint.missing === null ? null : await endpoint.prepare(RIVAL);
    const before = await traces();
    for (const kind of everybody.filter((one) => !isIn(one))) await judge(kind, "own", own);
    if (rival !== null) {
      for (const kind of good.filter(isIn)) {
        if (kind.bound !== "nobody") await judge(kind, "rival", rival);
        if (own.nowhere !== null) await judge(kind, "nowhere", own);
      }
    }
    expect(wrong).toEqual([]);
    expect(await traces()).toEqual(before);

    let thing: Prepared | null = own;
    for (const kind of everybody.filter(isIn)) {
      thing ??= await endpoint.prepare(OWN);
      await judge(kind, "own", thing);
      if (endpoint.changes) thing = null;
    }
    // Calls are made as our own agent, to whom a rival's tool is not granted, whoever asks.
    const isCall = endpoint.asks?.includes("tools:invoke") ?? false;
    if (rival !== null && !isCall) await judge(ROOT_KIND, "rival", rival);
    expect(wrong).toEqual([]);
  });

  /** A task's log, where the endpoint is about one. */
  async function logOf({ taskId }: Prepared): Promise<unknown> {
    if (taskId === null) return null;
    return (await get(`/agents/tasks/${taskId}/events`)).body.data.events;
  }
});

describe("the endpoints of the matrix are all that there are", () => {
  it("every route is one, and asks for what the table of routes says", () => {
    const own = app.routes
      .filter(({ method, path }) => method !== "ALL" && method !== "OPTIONS" && path !== "/*")
      .map(({ method, path }) => `${method} ${path}`);
    expect(own.length).toBeGreaterThan(60);
    expect(REST.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
    const asked = new Set(ENDPOINTS.flatMap(({ asks }) => asks ?? []));
    expect(SCOPES.filter((scope) => !asked.has(scope))).toEqual([]);
    expect(SPENDING.every((scope) => asked.has(scope))).toBe(true);
  });

  it("every tool for tasks that MCP lists is one", async () => {
    const { tools } = (await ask(mcp("tools/list"), `Bearer ${ROOT}`)).body.result;
    const names: string[] = tools.map(({ name }: { name: string }) => name);
    const own = names.filter((name) => !name.includes("__"));
    expect(own).toHaveLength(9);
    expect(MCP.map(({ name }) => name)).toEqual(
      expect.arrayContaining(own.map((name) => `MCP ${name}`)),
    );
  });

  it("every method that A2A tells of is one", async () => {
    const answer = await ask(rpc("Nothing", {}), `Bearer ${ROOT}`);
    const [, list = ""] = /A2A 1\.0 has ([^.]+)\./.exec(answer.body.error.message) ?? [];
    expect(list.split(", ").toSorted()).toEqual(A2A_METHODS.toSorted());
  });

  it("and enough of each kind of answer was seen", () => {
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
