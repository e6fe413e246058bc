import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { ORIGIN } from "../../support/client.ts";
import { HEADERS, brokenDatabase, takeLog } from "./degraded-service.ts";

/** Sends a request to the service with a database in which every query fails with this message. */
async function ask(words: string, method: string, path: string, body?: string) {
  const broken = { ...env, DB: brokenDatabase(words) };
  const request = new Request(`${ORIGIN}${path}`, { method, headers: HEADERS, body: body ?? null });
  return worker.fetch(request, broken, createExecutionContext());
}

it.each([
  ["D1_ERROR: Network connection lost.", 503, "SERVICE_UNAVAILABLE"],
  ["Failed query: SELECT secret FROM drawer", 500, "INTERNAL_ERROR"],
])(
  "the database failure '%s' becomes an A2A error without internal text",
  async (words, status, reason) => {
    const log = takeLog();
    const call = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ListTasks", params: {} });
    const rpc = await ask(words, "POST", "/a2a", call);
    expect(rpc.status).toBe(status);
    const rpcText = await rpc.text();
    expect(JSON.parse(rpcText)).toMatchObject({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32_603, data: [{ reason }] },
    });
    const rest = await ask(words, "GET", "/a2a/v1/tasks");
    expect(rest.status).toBe(status);
    const restText = await rest.text();
    expect(JSON.parse(restText)).toMatchObject({ error: { code: status, details: [{ reason }] } });
    for (const text of [rpcText, restText])
      expect(text).not.toMatch(/secret|D1_ERROR|Failed query/);
    // The error log contains the complete errors.
    expect(log).toHaveBeenCalledTimes(2);
  },
);
