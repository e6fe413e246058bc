import { env } from "cloudflare:workers";
import { createExchangeChecker, type ApiDocument, type Exchange } from "./check-exchange.ts";

const file = await env.ASSETS.fetch("https://assets.test/openapi.json");
const judge = createExchangeChecker(await file.json<ApiDocument>());

/** The REST binding of A2A has its paths and forms from A2A, whose own clients and tests judge it. */
const ELSEWHERE = "/a2a/v1/";

let judged = 0;

/** How many exchanges of this file have been held against the document. */
export function countCheckedExchanges(): number {
  return judged;
}

/** Throws where a request's answer is not as the document of the API says. */
export function expectDocumented(exchange: Exchange): void {
  if (exchange.path.startsWith(ELSEWHERE)) return;
  judged += 1;
  const problems = judge(exchange);
  if (problems.length === 0) return;
  const { method, path, status, text } = exchange;
  throw new Error(
    `${method} ${path} → ${status} is not as /openapi.json has it:\n${problems.join("\n")}\n${text.slice(0, 2_000)}`,
  );
}
