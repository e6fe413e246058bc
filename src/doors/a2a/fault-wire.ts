import type { JsonObject } from "../../domain/json.ts";
import { FAULTS, type Fault } from "./faults.ts";

const DOMAIN = "a2a-protocol.org";
const TYPES = "type.googleapis.com/google.rpc.";

/** The `error` of a JSON-RPC answer (section 9.5). */
export function rpcError(fault: Fault): JsonObject {
  return { code: FAULTS[fault.name].code, message: fault.message, data: details(fault) };
}

/** The body of a REST answer: a google.rpc.Status (section 11.6). */
export function restError(fault: Fault): JsonObject {
  const { status, rpc } = FAULTS[fault.name];
  const { message } = fault;
  return { error: { code: status, status: rpc, message, details: details(fault) } };
}

function details({ name, problems = [] }: Fault): JsonObject[] {
  const info = { "@type": `${TYPES}ErrorInfo`, reason: FAULTS[name].reason, domain: DOMAIN };
  if (problems.length === 0) return [info];
  const fieldViolations = problems.map(({ path, message }) => ({
    field: path,
    description: message,
  }));
  return [info, { "@type": `${TYPES}BadRequest`, fieldViolations }];
}
