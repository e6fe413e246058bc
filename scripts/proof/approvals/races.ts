import { setTimeout as pause } from "node:timers/promises";
import type { ApprovalResponse } from "../../../src/governance/approvals/schemas.ts";
import { isSettled } from "../../../src/governance/model/approval-status.ts";
import { ROOT_KEY, type Bosun } from "../bosun.ts";
import type { Violation } from "../check/violation.ts";
import { Client, type ClientResponse } from "../client.ts";
import { History } from "../history.ts";
import { forAll } from "../read-state.ts";
import type { Rng } from "../rng.ts";
import { judgeCall, type Acknowledged } from "./judge.ts";
import type { Target } from "./target.ts";

const AT_ONCE = 12;
/** The number of calls that are decided at the same time in the moment in which they expire. */
const EXPIRING_AT_ONCE = 48;
/** A key without an agent can have at most 100 pending calls. */
const CALLS_PER_KEY = 90;
/** The decisions about a call are sent within this time. */
const SPREAD_MS = 80;
/** How long before its expiry the decisions about a call are sent at most. */
const EXPIRY_SPREAD_MS = 1_500;
/** The shortest time that a policy can give people. */
const EXPIRES_AFTER = "1m";
/** The share of calls whose decisions are sent when they expire. */
const EXPIRING = 0.3;
const TWO_APPROVALS = 0.3;
const DENIED_TOO = 0.6;
const TRIES = 12;
const SETTLE_MAX_MS = 60_000;
const SETTLE_POLL_MS = 250;
/** Texts that a careless copy would change. */
const TEXTS = [
  "plain",
  "ünïcödé 🚢",
  '"quoted" \\ and\nbroken',
  "\u2028 and \ufeff",
  "  spaces  ",
  "1e400",
];

export interface RaceOutcome {
  readonly violations: readonly Violation[];
  /** The number of calls by their last status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of calls that the target received. */
  readonly sent: number;
  /** The number of decisions that were rejected because another one had won. */
  readonly rejected: number;
  readonly kills: number;
}

interface StoredCall {
  readonly number: number;
  readonly id: string;
  readonly body: string;
  readonly approvals: number;
  readonly expiresAt: number;
}

/**
 * Stores calls that require approval, sends several decisions about each of them at almost the same time, kills the
 * service in between, and compares what the target received with what was decided.
 */
export async function raceApprovals(
  bosun: Bosun,
  target: Target,
  rng: Rng,
  plan: { readonly calls: number; readonly kills: number },
): Promise<RaceOutcome> {
  const client = new Client("races", bosun, new History());
  const post = <Data>(path: string, key: string, body: object) => {
    const headers = { Authorization: `Bearer ${key}` };
    const kind = path.split("/").at(-1) ?? path;
    return client.sendWithRetries<Data>({ kind, method: "POST", path, body, headers }, TRIES);
  };
  const createKey = async (...scopes: string[]): Promise<string> =>
    required(await post<{ key: string }>("/agents/keys", ROOT_KEY, { name: "races", scopes })).key;

  await prepare(post, target);
  const keyCount = Math.ceil(plan.calls / CALLS_PER_KEY);
  const callers = await forAll(Array(keyCount).fill(null), 1, () => createKey("tools:invoke"));
  const deciders = await forAll([1, 2, 3], 1, () => createKey("approvals:decide"));
  const [first = "", second = "", third = ""] = deciders;
  const calls: StoredCall[] = [];
  const acknowledged = new Map<string, Acknowledged[]>();
  let racing = 0;
  let rejected = 0;
  let kills = 0;
  let killing = Promise.resolve();

  /** Stores a call. If the response is lost, another call with the same number is stored, and nobody knows the first. */
  async function store(number: number): Promise<StoredCall> {
    const payload = { number, text: rng.pick(TEXTS) };
    const approvals = rng.isHit(TWO_APPROVALS) ? 2 : 1;
    const response = await post<{ approvalId: string; expiresAt: string }>(
      `/agents/tools/raced-${approvals}/invoke`,
      callers[number % callers.length] ?? "",
      { capability: "send", parameters: { number, payload } },
    );
    const { approvalId: id, expiresAt } = required(response);
    const body = JSON.stringify(payload);
    const call = { number, id, body, approvals, expiresAt: Date.parse(expiresAt) };
    calls.push(call);
    return call;
  }

  async function decide(
    { id }: StoredCall,
    decision: "approve" | "deny",
    key: string,
  ): Promise<void> {
    const response = await post<ApprovalResponse>(`/agents/approvals/${id}/${decision}`, key, {});
    if (response.data === null) rejected += 1;
    else {
      const { status } = response.data;
      acknowledged.set(id, [...(acknowledged.get(id) ?? []), { decision, status }]);
    }
  }

  async function approveByLink({ id }: StoredCall, key: string): Promise<void> {
    const { data } = await post<{ url: string }>(`/agents/approvals/${id}/link`, key, {});
    if (data === null) return;
    const form = new URLSearchParams({ decision: "approve" });
    await fetch(data.url, { method: "POST", body: form }).catch(() => null);
  }

  /** Kills the service whenever another part of the races has begun. */
  function killIfDue(): void {
    if (racing < ((kills + 1) * plan.calls) / (plan.kills + 1) || kills >= plan.kills) return;
    kills += 1;
    killing = killing.then(async () => {
      await pause(rng.integer(0, SPREAD_MS));
      await bosun.crash();
    });
  }

  async function race(call: StoredCall): Promise<void> {
    racing += 1;
    killIfDue();
    const decisions = [
      () => decide(call, "approve", first),
      () => decide(call, "approve", second),
      () => decide(call, "approve", first),
      () => approveByLink(call, third),
      ...(rng.isHit(DENIED_TOO) ? [() => decide(call, "deny", third)] : []),
    ];
    await Promise.all(
      decisions.map(async (send) => {
        await pause(rng.integer(0, SPREAD_MS));
        await send();
      }),
    );
  }

  const numbers = Array.from({ length: plan.calls }, (_, number) => number);
  const expiring = await forAll(numbers.slice(0, plan.calls * EXPIRING), AT_ONCE, store);
  await Promise.all([
    forAll(numbers.slice(expiring.length), AT_ONCE, async (number) => race(await store(number))),
    forAll(expiring, EXPIRING_AT_ONCE, async (call) => {
      const early = rng.integer(0, EXPIRY_SPREAD_MS);
      await pause(Math.max(0, call.expiresAt - Date.now() - early));
      await race(call);
    }),
  ]);

  await killing;
  const judged = await forAll(calls, AT_ONCE, async (call) => {
    const approval = await readSettled(client, call.id);
    const received = target.received.get(call.number) ?? [];
    const decisions = acknowledged.get(call.id) ?? [];
    const violations = judgeCall({ ...call, approval, received, acknowledged: decisions });
    return { violations, status: approval.status, isSent: received.length > 0 };
  });
  const statuses: Record<string, number> = {};
  for (const { status } of judged) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    violations: judged.flatMap(({ violations }) => violations),
    statuses,
    sent: judged.filter(({ isSent }) => isSent).length,
    rejected,
    kills,
  };
}

type Post = <Data>(path: string, key: string, body: object) => Promise<ClientResponse<Data>>;

/** Registers two tools for the target, whose calls require one and two approvals. */
async function prepare(post: Post, target: Target): Promise<void> {
  for (const approvals of [1, 2]) {
    const id = `raced-${approvals}`;
    const tool = {
      id,
      name: id,
      connector: { type: "http", baseUrl: target.origin },
      capabilities: [
        {
          id: "send",
          parameters: [
            { name: "number", type: "number", required: true },
            { name: "payload", type: "object", required: true },
          ],
          request: {
            method: "POST",
            path: "/{number}",
            body: { parameter: "payload", as: "json" },
          },
        },
      ],
    };
    required(await post("/agents/tools", ROOT_KEY, tool));
    const policy = { id, name: id, effect: "ask", tools: [id], reason: "People decide." };
    const body = { ...policy, approvals, expiresAfter: EXPIRES_AFTER };
    required(await post("/agents/policies", ROOT_KEY, body));
  }
}

async function readSettled(client: Client, id: string): Promise<ApprovalResponse> {
  const giveUpAt = Date.now() + SETTLE_MAX_MS;
  for (;;) {
    const ask = { kind: "read", method: "GET", path: `/agents/approvals/${id}` } as const;
    const approval = required(await client.sendWithRetries<ApprovalResponse>(ask, TRIES));
    if (isSettled(approval.status) || Date.now() > giveUpAt) return approval;
    await pause(SETTLE_POLL_MS);
  }
}

function required<Data>({ data, exchange }: ClientResponse<Data>): Data {
  if (data !== null) return data;
  throw new Error(`${exchange.method} ${exchange.path}: ${exchange.status} ${exchange.reason}`);
}
