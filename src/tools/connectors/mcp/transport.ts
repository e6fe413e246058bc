import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { createTransientUpstreamFailure } from "../connector-failure.ts";
import type { McpEndpoint, McpHttpClient } from "./http-client.ts";

/** Streamable HTTP that fails a request whose response ends without its message, for which the SDK would wait. */
export class McpTransport implements Transport {
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
    const heard: Pick<Transport, "onclose" | "onerror" | "onmessage"> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message, extra) => {
        if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
        this.onmessage?.(message, extra);
      },
    };
    Object.assign(this.#http, heard);
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
    this.#client.recordFailure(
      createTransientUpstreamFailure("it ended its answer without a message for the request."),
    );
  }
}
