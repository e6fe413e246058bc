import { env } from "cloudflare:workers";
import { createExchangeChecker, type ApiDocument, type Exchange } from "./check-exchange.ts";

const file = await env.ASSETS.fetch("https://assets.test/openapi.json");
const judge = createExchangeChecker(await file.json<ApiDocument>());

/** A2A's REST binding. A2A defines its paths and formats, and the A2A tests check them. */
const ELSEWHERE = "/a2a/v1/";

let judged = 0;

/** Returns the number of exchanges that have been checked against the document. */
export function countCheckedExchanges(): number {
  return judged;
}

/** Throws if an exchange does not match the OpenAPI document. */
export function expectDocumented(exchange: Exchange): void {
  if (exchange.path.startsWith(ELSEWHERE)) return;
  judged += 1;
  const problems = judge(exchange);
  if (problems.length === 0) return;
  const { method, path, status, text } = exchange;
  throw new Error(
    `${method} ${path} → ${status} does not match /openapi.json:\n${problems.join("\n")}\n${text.slice(0, 2_000)}`,
  );
}
