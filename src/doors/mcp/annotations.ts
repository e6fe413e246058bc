import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { HttpMethod } from "../../domain/connector.ts";
import type { CallableCapability } from "../../tools/callable.ts";

/** What is known of a capability's effects; what is not is left out, and clients then expect the worst. */
export function annotationsOf({
  connector,
  operation,
}: Pick<CallableCapability, "connector" | "operation">): ToolAnnotations {
  // Built-in tools compute: the same answer each time, from what they are given alone.
  if (connector === "builtin") return { ...READING, openWorldHint: false };
  const effects = operation?.type === "http" ? BY_METHOD[operation.request.method] : {};
  return { ...effects, openWorldHint: true };
}

const READING = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;

/** What HTTP promises of its methods (RFC 9110, section 9.2). POST may do anything. */
const BY_METHOD: Readonly<Record<HttpMethod, ToolAnnotations>> = {
  GET: READING,
  HEAD: READING,
  POST: { readOnlyHint: false, idempotentHint: false },
  PUT: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  PATCH: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  DELETE: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};
