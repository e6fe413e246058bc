import { env } from "cloudflare:workers";
import { cancelAbandonedTask, runA2aTurn } from "../../../../src/executors/a2a/turn.ts";
import type { TurnOutcome } from "../../../../src/executors/contract.ts";
import type { AgentSecret } from "../../../../src/agents/model/agent.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";
import { TASK_ID, type A2aTurnHarness } from "../../../executors/a2a/turn-harness.ts";
import { originOf } from "../../../support/server-tools.ts";

export const SECRET: AgentSecret = { apiKey: "top-secret-key-0123456789", header: null };
const TURNS_MAX = 20;
const CARD = "/.well-known/agent-card.json";

/** The example agent's card. */
export const COUNTER = `${originOf("a2a")}${CARD}`;

interface Options {
  readonly secret?: AgentSecret | null;
  readonly signal?: AbortSignal;
}

/** Runs one turn and records its outcome in the harness's log. */
export async function turn(
  harness: A2aTurnHarness,
  cardUrl: string,
  { secret = null, signal = new AbortController().signal }: Options = {},
): Promise<TurnOutcome> {
  const outcome = await runA2aTurn(workOf(harness, cardUrl, secret, signal), harness.context);
  return harness.take(outcome);
}

/** Runs turns until the outcome is something other than another turn. */
export async function turns(
  harness: A2aTurnHarness,
  cardUrl: string,
  options: Options = {},
): Promise<TurnOutcome> {
  for (let count = 0; count < TURNS_MAX; count += 1) {
    const outcome = await turn(harness, cardUrl, options);
    if (outcome.kind !== "again") return outcome;
  }
  throw new Error(
    `No outcome after ${TURNS_MAX} turns: ${JSON.stringify(harness.outcomes.at(-1))}`,
  );
}

/** Cancels the remote task, which the harness's task no longer needs. */
export function cancel(harness: A2aTurnHarness, cardUrl: string, options: Options = {}) {
  const { secret = null, signal = new AbortController().signal } = options;
  const { work } = harness.task;
  const executor = { type: "a2a", cardUrl } as const;
  return cancelAbandonedTask(work, { executor, secret, egress: createEgress(env), signal });
}

function workOf(
  harness: A2aTurnHarness,
  cardUrl: string,
  secret: AgentSecret | null,
  signal: AbortSignal,
) {
  const executor = { type: "a2a", cardUrl } as const;
  return {
    taskId: TASK_ID,
    task: harness.task,
    executor,
    secret,
    egress: createEgress(env),
    signal,
  };
}

interface Sent {
  readonly method: string;
  readonly params: {
    /** The id of the remote task to read or cancel. */
    readonly id?: string;
    readonly message?: {
      readonly messageId: string;
      readonly taskId?: string;
      readonly contextId?: string;
      readonly referenceTaskIds?: readonly string[];
      readonly parts: readonly { readonly text?: string; readonly data?: JsonObject }[];
    };
  };
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the hostile agent with this behaviour, for use by one test. */
export function hostile(name: string) {
  const origin = originOf("hostile-a2a");
  const visit = crypto.randomUUID();
  return {
    card: `${origin}/${name}/${visit}/card.json`,
    rpc: `${origin}/${name}/${visit}/rpc`,
    seen: async (): Promise<Sent[]> => (await fetch(`${origin}/seen/${visit}`)).json(),
    methods: async (): Promise<string[]> => {
      const sent: Sent[] = await (await fetch(`${origin}/seen/${visit}`)).json();
      return sent.map(({ method }) => method);
    },
  };
}
