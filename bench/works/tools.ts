import { NEVER_MS, start } from "../contestants/contestant.ts";
import { BOSUN_HEADERS } from "../dialects.ts";
import { startContestants, LIMIT, only, stopAll, THIS, type Contestant } from "../field.ts";
import { load } from "../load.ts";
import type { Work } from "../results.ts";
import { runRounds } from "../rounds.ts";
import type { Setting } from "./setting.ts";

const CONNECTIONS = 16;
const INVOKED_A_ROUND = 300;
const CHECKED_A_ROUND = 500;
const COLD_KEYS_A_ROUND = 200;

/** Measures calls to a built-in tool and to an HTTP tool, and authentication. */
export async function invocations({ rounds, say }: Setting): Promise<Work[]> {
  const upstream = await start("upstream", "upstream");
  const contestants = await startContestants(NEVER_MS, { names: [THIS, LIMIT] }).catch(
    async (error) => {
      await upstream.stop();
      throw error;
    },
  );
  try {
    const [bosun] = only(contestants, THIS);
    const [bare] = only(contestants, LIMIT);
    if (bosun === undefined || bare === undefined)
      throw new Error("Bosun and the baseline must both be running");
    await register(bosun, upstream.origin);
    const about = { unit: "request", reference: LIMIT, rounds } as const;
    const invoke = (tool: string, call: object) => () =>
      load({
        ...bosun,
        connections: CONNECTIONS,
        amount: INVOKED_A_ROUND,
        ask: () => ({
          method: "POST",
          path: `/agents/tools/${tool}/invoke`,
          headers: BOSUN_HEADERS,
          body: JSON.stringify(call),
        }),
        status: 200,
      });
    const path = `/fetch?url=${encodeURIComponent(`${upstream.origin}/tides`)}`;
    const bareFetch = {
      contestant: LIMIT,
      go: () => get(bare, path, {}, INVOKED_A_ROUND, 200),
    };
    const query = { document: "[1]", path: "$[0]" };
    const builtin = invoke("json-workbench", { capability: "query", parameters: query });
    const http = invoke("tides", { capability: "turns", parameters: { harbour: "bergen" } });
    return [
      await runRounds(
        {
          ...about,
          id: "invoke-http",
          title: "Invoke an HTTP tool (baseline: a plain fetch through a Worker)",
          turns: [{ contestant: THIS, go: http }, bareFetch],
        },
        say,
      ),
      await runRounds(
        {
          ...about,
          id: "invoke-builtin",
          title: "Invoke a built-in tool (baseline: the same plain fetch)",
          turns: [{ contestant: THIS, go: builtin }, bareFetch],
        },
        say,
      ),
      await checks(bosun, { rounds, say }),
    ];
  } finally {
    await stopAll([upstream, ...contestants]);
  }
}

/**
 * Measures authentication. Requests with a key are for an unknown path, so they differ only in how the key is
 * checked.
 */
async function checks(
  bosun: Contestant,
  { rounds, say }: Pick<Setting, "rounds" | "say">,
): Promise<Work> {
  const keys = await keysOf(bosun, (rounds + 1) * COLD_KEYS_A_ROUND + 1);
  const unknownPath = "/nowhere";
  const hot = keys.pop() ?? "";
  return runRounds(
    {
      id: "authenticate",
      title: "Authenticate the key and return 404",
      unit: "request",
      reference: null,
      rounds,
      turns: [
        {
          contestant: "no key (/health)",
          go: () => get(bosun, "/health", {}, CHECKED_A_ROUND, 200),
        },
        {
          contestant: "root key",
          go: () => get(bosun, unknownPath, BOSUN_HEADERS, CHECKED_A_ROUND, 404),
        },
        {
          contestant: "stored key, cached",
          go: () => get(bosun, unknownPath, bearer(hot), CHECKED_A_ROUND, 404),
        },
        {
          contestant: "stored key, uncached",
          go: () =>
            load({
              ...bosun,
              connections: CONNECTIONS,
              amount: COLD_KEYS_A_ROUND,
              ask: () => ({ method: "GET", path: unknownPath, headers: bearer(keys.pop() ?? "") }),
              status: 404,
            }),
        },
      ],
    },
    say,
  );
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

function get(
  one: Contestant,
  path: string,
  headers: Readonly<Record<string, string>>,
  amount: number,
  status: number,
) {
  const ask = () => ({ method: "GET", path, headers }) as const;
  return load({ ...one, connections: CONNECTIONS, amount, ask, status });
}

async function keysOf(bosun: Contestant, amount: number): Promise<string[]> {
  const keys: string[] = [];
  await load({
    ...bosun,
    connections: CONNECTIONS,
    amount,
    ask: () => ({
      method: "POST",
      path: "/agents/keys",
      headers: BOSUN_HEADERS,
      body: JSON.stringify({ name: "benchmark", scopes: ["tasks:read"] }),
    }),
    status: 201,
    onBody: (body) => keys.push(JSON.parse(body).data.key),
  });
  return keys;
}

async function register({ origin }: Contestant, baseUrl: string): Promise<void> {
  const answer = await fetch(`${origin}/agents/tools`, {
    method: "POST",
    headers: BOSUN_HEADERS,
    body: JSON.stringify({
      id: "tides",
      name: "Tides",
      category: "data",
      connector: { type: "http", baseUrl },
      rateLimit: { requests: 1_000_000, period: "minute" },
      pricing: { free: 1_000_000, overage: 0 },
      capabilities: [
        {
          id: "turns",
          parameters: [{ name: "harbour", type: "string", required: true }],
          request: { method: "GET", path: "/harbours/{harbour}/tides", result: "$.tides[*].at" },
        },
      ],
    }),
  });
  if (answer.status !== 201) throw new Error(`The tool was not registered: ${await answer.text()}`);
}
