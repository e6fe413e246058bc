import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UNMANAGING } from "../support/keys.ts";
import { stopClock } from "../support/tasks.ts";
import { A2A_ENDPOINTS } from "./a2a-endpoints.ts";
import { sendRequest, replaceIds, type RequestSpec } from "./send-request.ts";
import { toComparable } from "./comparable-response.ts";
import { registerTenants, OTHER_TENANT, taskOf } from "./tenants.ts";
import type { Protocol } from "./endpoint.ts";
import { HIDDEN_REQUESTS } from "./hidden-requests.ts";
import { forgetKeyKinds, keyKindOf, ROOT_KIND, type KeyKind } from "./key-kinds.ts";
import { recordBindingCalls, type BindingCalls } from "./binding-calls.ts";
import { MCP_ENDPOINTS } from "./mcp-endpoints.ts";
import { REQUESTS_BY_NAME } from "./requests-by-name.ts";
import type { RequestPair } from "./request-pairs.ts";
import { REST_ENDPOINTS } from "./rest-endpoints.ts";
import { IN } from "./rules.ts";
import { readVerdict } from "./read-verdict.ts";

/** All endpoints that name one resource. */
const ABOUT = [...REST_ENDPOINTS, ...MCP_ENDPOINTS, ...A2A_ENDPOINTS].filter(
  ({ missing }) => missing !== null,
);
const STAGES = ["pending", "blocked", "review", "completed", "failed", "waiting"] as const;
const counts = { pairs: 0, works: 0 };
const verdicts = new Map<string, number>();
let bound: readonly KeyKind[] = [];
let calls: BindingCalls;
/** The other tenant's tasks, one for each stage. */
let hidden: readonly string[] = [];

beforeAll(async () => {
  stopClock();
  forgetKeyKinds();
  await registerTenants();
  calls = recordBindingCalls();
  bound = [await keyKindOf("agent", UNMANAGING), await keyKindOf("team", UNMANAGING)];
  hidden = await hiddenTasks();
  // Fills the key cache, whose entries last ten seconds, so that key lookups do not appear in the
  // comparison.
  for (const { authorization } of bound) {
    await sendRequest({ method: "GET", path: "/agents/tools" }, authorization);
  }
});

/** Variants of the same request, which must disclose no more than the original. */
function forms(asked: RequestSpec): RequestSpec[] {
  const { method, path, headers } = asked;
  const also = (more: Readonly<Record<string, string>>): RequestSpec => ({
    ...asked,
    headers: { ...headers, ...more },
  });
  if (!path.startsWith("/agents")) return [asked];
  switch (method) {
    case "GET":
      return [asked, { ...asked, method: "HEAD" }, also({ "If-None-Match": "*" })];
    case "PATCH":
      return [asked, also({ "If-Match": '"1"' }), also({ "If-Match": "*" })];
    case "POST":
      return [asked, also({ "Idempotency-Key": crypto.randomUUID() })];
    default:
      return [asked];
  }
}

/**
 * Asserts that both responses are the same apart from ids and times, and that both requests make
 * the same binding calls, unless the pair allows different calls.
 */
async function expectSameResponse(
  kind: KeyKind,
  pair: RequestPair,
  protocol: Protocol,
): Promise<void> {
  const { there, missing, ids, isAnswered = false, isSameWork = true } = pair;
  const seen = [];
  calls.take();
  for (const [index, asked] of [there, missing].entries()) {
    const answer = await sendRequest(asked, kind.authorization, calls.env);
    const verdict = asked.method === "HEAD" ? String(answer.status) : readVerdict(protocol, answer);
    expect(verdict === IN).toBe(isAnswered);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    seen.push({ bytes: toComparable(answer, ids[index] ?? ""), work: calls.take() });
  }
  const [one, other] = seen;
  const what = `${kind.name}: ${there.method} ${there.path}`;
  expect(one?.bytes, what).toBe(other?.bytes);
  if (isSameWork) expect(one?.work, what).toEqual(other?.work);
  counts.pairs += 1;
  counts.works += isSameWork ? 1 : 0;
}

describe("another tenant's resources and a bound key", () => {
  it.each(ABOUT)(
    "$name gives a bound key the same response for another tenant's resource as for a missing one",
    { timeout: 60_000 },
    async ({ name, protocol, prepare }) => {
      const { asked, missing, ids, taskId } = await prepare(OTHER_TENANT);
      if (missing === null) throw new Error(`${name} has no request for a missing resource`);
      const others = forms(missing);
      for (const kind of bound) {
        for (const [index, there] of forms(asked).entries()) {
          await expectSameResponse(
            kind,
            { there, missing: others[index] ?? missing, ids },
            protocol,
          );
        }
        // For an id that the service never issued, no task object is called. Only the responses
        // must be identical.
        if (taskId === null || ids[0] === "") continue;
        const stray = "a".repeat(64);
        const strange = {
          there: asked,
          missing: replaceIds(asked, ids[0], stray),
          isSameWork: false,
        };
        await expectSameResponse(kind, { ...strange, ids: [ids[0], stray] }, protocol);
        for (const id of hidden) {
          const there = replaceIds(asked, ids[0], id);
          await expectSameResponse(kind, { there, missing, ids: [id, ids[1]] }, protocol);
        }
      }
    },
  );

  it.each(REQUESTS_BY_NAME)(
    "a response does not reveal whether a hidden resource exists: $title",
    { timeout: 60_000 },
    async ({ protocol, prepare }) => {
      for (const kind of bound) await expectSameResponse(kind, await prepare(), protocol);
    },
  );
});

describe("resources that are hidden from all clients", () => {
  it.each(HIDDEN_REQUESTS)(
    "a response does not reveal whether a hidden resource exists: $title",
    { timeout: 60_000 },
    async ({ protocol, isKeyless, prepare }) => {
      const anonymous = { ...ROOT_KIND, name: "none", authorization: null };
      const pair = await prepare();
      for (const kind of isKeyless === true ? [anonymous] : [...bound, ROOT_KIND, anonymous]) {
        await expectSameResponse(kind, pair, protocol);
      }
    },
  );
});

afterAll(() => {
  const sorted = [...verdicts].toSorted(([, one], [, other]) => other - one);
  const each = sorted.map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  console.info(
    `access: ${counts.pairs} equal pairs, ${counts.works} with equal binding calls: ${each}`,
  );
  expect(counts.pairs).toBeGreaterThan(750);
  expect(counts.works).toBeGreaterThan(650);
  expect(verdicts.get("404 TASK_NOT_FOUND")).toBeGreaterThan(800);
  expect(verdicts.get("404 TOOL_NOT_FOUND")).toBeGreaterThan(20);
  expect(verdicts.get("404 UNKNOWN_TOOL")).toBeGreaterThan(6);
});

/** Created one at a time, because each claim takes all waiting tasks. */
async function hiddenTasks(): Promise<string[]> {
  const ids: string[] = [];
  for (const stage of STAGES) ids.push((await taskOf(OTHER_TENANT, stage)).id);
  return ids;
}
