import { Client } from "@modelcontextprotocol/client";
import { OURSELVES } from "../../../domain/ourselves.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import type { Egress } from "../../../egress/contract.ts";
import type { CallFault } from "../contract.ts";
import { redactedFault } from "../http/fault.ts";
import { redactionOf } from "../../../secrets/redact.ts";
import { atConnecting, faultOf } from "./fault.ts";
import { Line, type SessionBounds } from "./line.ts";
import type { McpServer } from "./server.ts";
import { WatchedTransport } from "./watched-transport.ts";

/** How each request of the work is sent, so that it ends with the session. */
export interface RequestTerms {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/**
 * Connects, does the work and takes leave, all within the bounds but for the leave, which has a
 * second. The newest revision that both sides speak is negotiated. We declare no capabilities, so
 * what a server asks of its client (sampling, elicitation, roots) is declined.
 */
export async function inSession<Value>(
  egress: Egress,
  server: McpServer,
  bounds: SessionBounds,
  work: (client: Client, terms: RequestTerms) => Promise<Value>,
): Promise<Result<Value, CallFault>> {
  const line = new Line(egress, server, bounds);
  const transport = new WatchedTransport(server, line);
  const client = new Client(OURSELVES, {
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
  });
  const { timeoutMs } = bounds;
  const over = new AbortController();
  // The SDK's own timeout for each request is only there in case that ours should fail.
  const terms: RequestTerms = { signal: over.signal, timeout: 2 * timeoutMs };
  const redaction = redactionOf(server.authorisation);
  const context = { hasCredential: server.authorisation !== null, redaction, timeoutMs };
  const deadline = setTimeout(
    () => line.fail({ kind: "timeout", timeoutMs, isUndone: false }),
    timeoutMs,
  );
  const session = { isOpen: false };

  async function talk(): Promise<Result<Value, CallFault>> {
    try {
      await client.connect(transport, terms);
      session.isOpen = true;
      return ok(await work(client, terms));
    } catch (error) {
      const { retryAfterSeconds } = line;
      return fail(faultOf(error, { ...context, retryAfterSeconds }));
    }
  }

  const outcome = await Promise.race([line.failed.then(fail<CallFault>), talk()]);
  const { isOpen } = session;
  clearTimeout(deadline);
  line.hangUp();
  // A request that is still open is cancelled in the words of its protocol revision.
  over.abort();
  await takeLeave(transport, line);
  if (outcome.ok) return outcome;
  // Where the work failed because of a fault on the line, that fault says more.
  const fault = redactedFault(line.fault ?? outcome.failure, redaction);
  return fail(isOpen ? fault : atConnecting(fault));
}

async function takeLeave(transport: WatchedTransport, line: Line): Promise<void> {
  try {
    if (transport.sessionId !== undefined) await transport.endSession();
  } catch {
    // The answer is there already; a server that cannot say goodbye takes nothing from it.
  } finally {
    // The word that a request is cancelled is on its way beside it.
    await line.left();
    await transport.close();
  }
}
