import {
  Client,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { SERVICE_INFO } from "../../../kernel/service-info.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import type { Egress } from "../../../platform/egress/contract.ts";
import type { ConnectorFailure } from "../contract.ts";
import { redactConnectorFailure, createTransientUpstreamFailure } from "../connector-failure.ts";
import { createRedactor } from "../../model/redaction.ts";
import { toMcpConnectFailure, classifyMcpError } from "./sdk-errors.ts";
import { type McpEndpoint, McpHttpClient, type McpSessionLimits } from "./http-client.ts";

/** Options that end each request when the session ends. */
export interface McpRequestOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

/**
 * Connects, runs `work` and closes the session. The client declares no capabilities, so it declines requests from the
 * server.
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
  // Only a fallback, because the session has its own deadline.
  const terms: McpRequestOptions = { signal: over.signal, timeout: 2 * timeoutMs };
  const redaction = createRedactor(server.authorization);
  const context = { hasCredential: server.authorization !== null, redaction, timeoutMs };
  const deadline = setTimeout(
    () => line.recordFailure({ kind: "timeout", timeoutMs, hadNoEffect: false }),
    timeoutMs,
  );
  const session = { isOpen: false };

  async function callServer(): Promise<Result<Value, ConnectorFailure>> {
    try {
      await client.connect(transport, terms);
      session.isOpen = true;
      return ok(await work(client, terms));
    } catch (error) {
      const { retryAfterSeconds } = line;
      return fail(classifyMcpError(error, { ...context, retryAfterSeconds }));
    }
  }

  const outcome = await Promise.race([line.failure.then(fail<ConnectorFailure>), callServer()]);
  const { isOpen } = session;
  clearTimeout(deadline);
  line.beginShutdown();
  // Cancel any open request in the way that the protocol revision requires.
  over.abort();
  await closeSession(transport, line);
  if (outcome.ok) return outcome;
  // A recorded failure is more specific than the error that it caused.
  const failure = redactConnectorFailure(line.firstFailure ?? outcome.failure, redaction);
  return fail(isOpen ? failure : toMcpConnectFailure(failure));
}

async function closeSession(transport: McpTransport, line: McpHttpClient): Promise<void> {
  try {
    if (transport.sessionId !== undefined) await transport.endSession();
  } catch {
    // The outcome is already known, so a failure to close the session does not matter.
  } finally {
    // The cancellation message may still be in flight.
    await line.waitForShutdown();
    await transport.close();
  }
}

/**
 * A Streamable HTTP transport that fails a request if its response ends without a reply. The SDK would keep waiting.
 */
class McpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;

  readonly #http: Transport & Pick<StreamableHTTPClientTransport, "terminateSession">;
  readonly #client: McpHttpClient;
  readonly #open = new Set<string | number>();

  constructor(server: McpEndpoint, line: McpHttpClient) {
    this.#client = line;
    this.#http = new StreamableHTTPClientTransport(server.url, {
      fetch: line.fetch,
      requestInit: { headers: server.headers },
    });
  }

  async start(): Promise<void> {
    const handlers: Pick<Transport, "onclose" | "onerror" | "onmessage"> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message, extra) => {
        if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
        this.onmessage?.(message, extra);
      },
    };
    Object.assign(this.#http, handlers);
    await this.#http.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message && "id" in message)) return this.#http.send(message, options);
    const { id } = message;
    this.#open.add(id);
    await this.#http.send(message, {
      ...options,
      onRequestStreamEnd: () => this.#failUnanswered(id),
    });
    if (!this.#client.isLastResponseStream) this.#failUnanswered(id);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  get sessionId(): string | undefined {
    return this.#http.sessionId;
  }

  endSession(): Promise<void> {
    return this.#http.terminateSession();
  }

  setProtocolVersion(version: string): void {
    this.#http.setProtocolVersion?.(version);
  }

  #failUnanswered(id: string | number): void {
    if (!this.#open.delete(id)) return;
    const reason = "it ended its response without replying to the request.";
    this.#client.recordFailure(createTransientUpstreamFailure(reason));
  }
}
