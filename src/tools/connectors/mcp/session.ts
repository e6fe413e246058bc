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

/** How each request of the work is sent, so that it ends with the session. */
export interface McpRequestOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/**
 * Connects, does the work and takes leave, all within the bounds but for the leave, which has a
 * second. The newest revision that both sides speak is negotiated. We declare no capabilities, so
 * what a server asks of its client (sampling, elicitation, roots) is declined.
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
  // The SDK's own timeout for each request is only there in case that ours should fail.
  const terms: McpRequestOptions = { signal: over.signal, timeout: 2 * timeoutMs };
  const redaction = createRedactor(server.authorisation);
  const context = { hasCredential: server.authorisation !== null, redaction, timeoutMs };
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
  // A request that is still open is cancelled in the words of its protocol revision.
  over.abort();
  await closeSession(transport, line);
  if (outcome.ok) return outcome;
  // Where the work failed because of a fault on the line, that fault says more.
  const fault = redactConnectorFailure(line.firstFailure ?? outcome.failure, redaction);
  return fail(isOpen ? fault : toMcpConnectFailure(fault));
}

async function closeSession(transport: McpTransport, line: McpHttpClient): Promise<void> {
  try {
    if (transport.sessionId !== undefined) await transport.endSession();
  } catch {
    // The answer is there already; a server that cannot say goodbye takes nothing from it.
  } finally {
    // The word that a request is cancelled is on its way beside it.
    await line.waitForShutdown();
    await transport.close();
  }
}
