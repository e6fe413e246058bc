import { Client } from "@modelcontextprotocol/client";
import { SERVICE_INFO } from "../../../kernel/service-info.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import type { Egress } from "../../../platform/egress/contract.ts";
import type { ConnectorFailure } from "../contract.ts";
import { redactConnectorFailure } from "../connector-failure.ts";
import { createRedactor } from "../../model/redaction.ts";
import { toMcpConnectFailure, classifyMcpError } from "./sdk-errors.ts";
import { type McpEndpoint, McpHttpClient, type McpSessionLimits } from "./http-client.ts";
import { McpTransport } from "./transport.ts";

/** Options that end each request with the session. */
export interface McpRequestOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/**
 * Connects, runs `work` and closes the session, which has one more second. Negotiates the newest common revision.
 * The client declares no capabilities, so requests of the server (sampling, elicitation, roots) are declined.
 */
export async function runMcpSession<Value>(
  egress: Egress,
  server: McpEndpoint,
  bounds: McpSessionLimits,
  work: (client: Client, terms: McpRequestOptions) => Promise<Value>,
): Promise<Result<Value, ConnectorFailure>> {
  const line = new McpHttpClient(egress, server, bounds);
  const transport = new McpTransport(server, line);
  const client = new Client(SERVICE_INFO, {
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
  });
  const { timeoutMs } = bounds;
  const over = new AbortController();
  // A fallback: the session has its own deadline.
  const terms: McpRequestOptions = { signal: over.signal, timeout: 2 * timeoutMs };
  const redaction = createRedactor(server.authorization);
  const context = { hasCredential: server.authorization !== null, redaction, timeoutMs };
  const deadline = setTimeout(
    () => line.recordFailure({ kind: "timeout", timeoutMs, isUndone: false }),
    timeoutMs,
  );
  const session = { isOpen: false };

  async function talk(): Promise<Result<Value, ConnectorFailure>> {
    try {
      await client.connect(transport, terms);
      session.isOpen = true;
      return ok(await work(client, terms));
    } catch (error) {
      const { retryAfterSeconds } = line;
      return fail(classifyMcpError(error, { ...context, retryAfterSeconds }));
    }
  }

  const outcome = await Promise.race([line.failure.then(fail<ConnectorFailure>), talk()]);
  const { isOpen } = session;
  clearTimeout(deadline);
  line.beginShutdown();
  // Cancels an open request as its protocol revision requires.
  over.abort();
  await closeSession(transport, line);
  if (outcome.ok) return outcome;
  // A failure of the connection says more than the error that it caused.
  const fault = redactConnectorFailure(line.firstFailure ?? outcome.failure, redaction);
  return fail(isOpen ? fault : toMcpConnectFailure(fault));
}

async function closeSession(transport: McpTransport, line: McpHttpClient): Promise<void> {
  try {
    if (transport.sessionId !== undefined) await transport.endSession();
  } catch {
    // The result is complete, so a failure to close the session does not matter.
  } finally {
    // The cancellation message may still be on its way.
    await line.waitForShutdown();
    await transport.close();
  }
}
