import { log } from "./log.ts";

/** Subscribers that share a limit, for example all of one key. */
export interface SubscriberGroup {
  readonly name: string;
  readonly subscribersMax: number;
}

/**
 * The WebSockets of an object's subscribers, which hibernate with the object. An empty message signals a change. Each
 * socket stores its subscriber's `Interest`, for example a filter.
 */
export class Subscribers<Interest = null> {
  readonly #ctx: DurableObjectState;
  readonly #subscribersMax: number;

  constructor(ctx: DurableObjectState, subscribersMax: number) {
    this.#ctx = ctx;
    this.#subscribersMax = subscribersMax;
  }

  /** Returns the client end of a new WebSocket; null if the limit, or that of its group (null: none), is reached. */
  accept(interest: Interest, group: SubscriberGroup | null = null): WebSocket | null {
    if (this.#ctx.getWebSockets().length >= this.#subscribersMax) return null;
    if (group !== null && this.#ctx.getWebSockets(group.name).length >= group.subscribersMax)
      return null;
    const [client, server] = Object.values(new WebSocketPair());
    if (client === undefined || server === undefined)
      throw new Error("A WebSocket pair must have two ends");
    // This throws if the interest is too large. An accepted socket without it could not be notified.
    server.serializeAttachment(interest);
    this.#ctx.acceptWebSocket(server, group === null ? [] : [group.name]);
    return client;
  }

  get isEmpty(): boolean {
    return this.#ctx.getWebSockets().length === 0;
  }

  /**
   * Notifies the subscribers that a change concerns. The output gate holds the messages until the change is stored. A
   * failure is logged, because the change is already written.
   */
  notify(concerns: (interest: Interest) => boolean): void {
    for (const socket of this.#ctx.getWebSockets()) {
      // A subscriber may have just closed its socket.
      if (socket.readyState !== WebSocket.OPEN) continue;
      try {
        if (concerns(socket.deserializeAttachment())) socket.send("");
      } catch (error) {
        log.error("subscriber_notify_failed", { error });
      }
    }
  }
}

/** Responds to a subscriber's request; 503 without a WebSocket. */
export function respondWithSocket(webSocket: WebSocket | null): Response {
  return new Response(null, webSocket === null ? { status: 503 } : { status: 101, webSocket });
}

/** Opens a WebSocket to a Durable Object's `fetch`. Returns null if the object accepts no more subscribers. */
export async function openChangeSocket(
  stub: DurableObjectStub,
  url: string,
): Promise<WebSocket | null> {
  const response = await stub.fetch(url, { headers: { Upgrade: "websocket" } });
  response.webSocket?.accept();
  return response.webSocket;
}
