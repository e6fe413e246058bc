import type { Answer } from "../support/client.ts";
import type { Protocol } from "./endpoint.ts";
import { IN, type Verdict } from "./rules.ts";

/** Translates a response into a verdict in the format of the permission rules. */
export function readVerdict(protocol: Protocol, answer: Answer): Verdict {
  switch (protocol) {
    case "rest":
      return answer.body?.error === undefined
        ? IN
        : verdictOf(answer.status, answer.body.error.code);
    case "mcp":
      return ofMcp(answer);
    case "a2a-rest":
      return answer.body?.error === undefined
        ? IN
        : verdictOf(answer.status, answer.body.error.details[0].reason);
    case "a2a-rpc": {
      const error = answer.body?.error;
      if (error === undefined) return IN;
      const { reason } = error.data[0];
      return verdictOf(STATUS_OF[reason] ?? answer.status, reason);
    }
  }
}

/** The REST binding's statuses for errors that JSON-RPC returns with status 200. */
const STATUS_OF: Readonly<Record<string, number>> = { TASK_NOT_FOUND: 404, INVALID_PARAMS: 400 };

function ofMcp({ status, body }: Answer): Verdict {
  const { error, result } = body;
  if (error?.data?.code !== undefined) return verdictOf(status, error.data.code);
  if (error !== undefined) {
    const isUnknown = error.code === -32_602 && error.message.startsWith("Unknown tool: ");
    return isUnknown ? "404 UNKNOWN_TOOL" : verdictOf(status, String(error.code));
  }
  if (result.isError !== true) return IN;
  const { code } = result.structuredContent.error;
  return verdictOf(code.endsWith("_NOT_FOUND") ? 404 : (OF_RESULTS[code] ?? 400), code);
}

/** Tool results have no HTTP status, so it is derived from the error code. */
const OF_RESULTS: Readonly<Record<string, number>> = {
  AGENT_MISMATCH: 403,
  BUDGET_RAISE_DENIED: 403,
};

function verdictOf(status: number, code: string): Verdict {
  return `${status} ${code}`;
}
