import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { del, post, type Answer } from "../../support/client.ts";
import { expectDocumented } from "../../support/documented-responses.ts";
import { stopClock } from "../../support/tasks.ts";
import { expectValidResponse } from "../invariants.ts";
import { emptyStatistics, formatStatistics, sumOf, type Statistics } from "./statistics.ts";
import { minimumSharesOf } from "./minimum-shares.ts";
import type { Operation } from "./operations.ts";
import { requestsOf, type FuzzRequest } from "./request-generator.ts";
import { runsOf, SEED } from "./run-count.ts";
import { sendAndRead, curl, readBack, fillIds, type Sent } from "./send-request.ts";
import { emptyPool, markChanged } from "./resource-pool.ts";
import { findUndocumentedParameters } from "./undocumented-parameters.ts";
import { isolateNetwork } from "./third-parties.ts";
import { isSemanticProblem, type Problem } from "./semantic-problems.ts";

/** Operations that use the service's own envelope, which excludes files and other protocols. */
const OWN = /^\/(?:agents|health)\b/;
/** Operations that call third-party systems, and so may fail. */
const CALLS_OTHERS = new Set(["invokeTool", "importTool", "finishConnection"]);
/** Operations that change a resource so that it no longer matches its name in the pool. */
const SPENDING =
  /^(?:approve|cancel|changeLimit|claim|delete|deny|end|putLimit|respond|retire|retry|review|revoke)/;
/**
 * Resources with a low limit, and limits on the fuzzer's own calls. The fuzzer deletes them right after it creates them.
 */
const TIDIED: Readonly<Record<string, string>> = {
  registerTool: "/agents/tools/",
  createWebhook: "/agents/webhooks/",
  createPolicy: "/agents/policies/",
  createLimit: "/agents/limits/",
  putLimit: "/agents/limits/",
  changeLimit: "/agents/limits/",
};

/** Shares of fewer requests than this are not checked. */
const SHARES_RUNS_MIN = 60;

/** Fuzzes the given operations, each in its own test. */
export function fuzzOperations(operations: readonly Operation[]): void {
  const all = new Map<string, Statistics>();
  const begun = performance.now();

  beforeAll(() => {
    stopClock();
    emptyPool();
    return isolateNetwork();
  });

  afterAll(() => {
    const sum = sumOf([...all.values()]);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    console.log(
      `${formatStatistics(`${operations.length} operations, seed ${SEED}`, sum)}; ${seconds} s`,
    );
    expect(sum.succeeded / sum.sent, "2xx").toBeGreaterThan(0.1);
    expect(sum.rejected / sum.sent, "4xx").toBeGreaterThan(0.1);
  });

  describe("requests generated from the document", () => {
    it.each(operations)(
      "the responses of $method $path to generated requests match the OpenAPI document",
      { timeout: 120_000 },
      async (operation) => {
        const figures = emptyStatistics();
        all.set(operation.id, figures);
        const numRuns = runsOf(operation);
        await fc.assert(
          fc.asyncProperty(requestsOf(operation), async (request) => {
            await probe(operation, request, figures);
          }),
          { seed: SEED + seedOf(operation.id), numRuns },
        );
        const least = minimumSharesOf(operation);
        expect(figures.sent).toBeGreaterThanOrEqual(numRuns);
        // With so few requests, only the shares over all operations are meaningful.
        if (numRuns < SHARES_RUNS_MIN) return;
        expect(figures.succeeded / figures.sent, "2xx").toBeGreaterThanOrEqual(least.succeeded);
        expect(figures.rejected / figures.sent, "4xx").toBeGreaterThanOrEqual(least.rejected);
        expect(figures.accepted / figures.valid, "valid").toBeGreaterThanOrEqual(least.accepted);
      },
    );
  });
}

/** Gives each operation its own seed, so that operations get different values. */
function seedOf(name: string): number {
  return Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000, 7);
}

async function probe(
  operation: Operation,
  request: FuzzRequest,
  figures: Statistics,
): Promise<void> {
  const sent = await fillIds(operation, request);
  try {
    const answer = await sendAndRead(sent);
    count(figures, request, answer);
    judge(operation, request, sent, answer);
    await follow(operation, sent, answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}\n\nFUZZ_SEED=${SEED}\n${curl(sent)}`, { cause: error });
  }
}

function count(figures: Statistics, { isValid }: FuzzRequest, { status, body }: Answer): void {
  figures.sent += 1;
  // JSON-RPC also reports errors with status 200.
  const isRefused =
    status >= 400 || (body?.error ?? null) !== null || body?.result?.isError === true;
  if (!isRefused) figures.succeeded += 1;
  else if (status < 500) figures.rejected += 1;
  else figures.upstream += 1;
  if (!isValid) return;
  figures.valid += 1;
  if (!isInvalid(body?.error)) figures.accepted += 1;
}

/** Whether this is a validation error, from the service or from JSON-RPC. */
function isInvalid(error: { readonly code?: unknown } | null | undefined): boolean {
  return error?.code === "VALIDATION_ERROR" || error?.code === -32_602;
}

function judge(operation: Operation, request: FuzzRequest, sent: Sent, answer: Answer): void {
  const { status, headers, text, body } = answer;
  const path = new URL(`https://bosun.test${sent.target}`).pathname;
  if (status >= 500) {
    expect(CALLS_OTHERS, text).toContain(operation.id);
    expect([502, 503, 504], text).toContain(status);
    expect(operation.statuses, text).toContain(String(status));
  } else if (OWN.test(path) && !operation.id.startsWith("download")) {
    expectValidResponse(answer);
  }
  const isTaken = status < 300 && body?.error === undefined;
  const read = isTaken ? readBack(sent) : undefined;
  expectDocumented({ method: sent.method, path, sent: read, status, headers, text });
  // A name such as ".." leads to another route, which has other parameters.
  if (isTaken && leadsTo(operation, path))
    expect(findUndocumentedParameters(operation, sent)).toEqual([]);
  if (request.isValid && body?.error?.code === "VALIDATION_ERROR") {
    const problems: readonly Problem[] = body.error.details;
    expect(problems.filter((problem) => !isSemanticProblem(operation.id, problem))).toEqual([]);
  }
}

function leadsTo(operation: Operation, path: string): boolean {
  return new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(path);
}

/** Marks changed resources as changed, and deletes resources with a low limit. */
async function follow({ id }: Operation, { method, target }: Sent, answer: Answer): Promise<void> {
  if (answer.status >= 300 || method === "GET") return;
  const data = answer.body?.data;
  markChanged(target, SPENDING.test(id) || data?.stop === true);
  const tidied = TIDIED[id];
  if (tidied !== undefined) await del(`${tidied}${data.id}`);
  // Otherwise, most of the calls and claims that follow would be rejected.
  if (id === "pauseAgent") await post(`/agents/${data.id}/resume`);
  if (id === "pauseAllAgents") await post("/agents/resume-all");
}
