import { SUBSCRIBERS_PER_TASK_MAX } from "../limits.ts";

/** The WebSockets of the task's subscribers, which hibernate with the object. An empty message signals a change. */
export class Subscribers {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Returns the client end of a new WebSocket; null if the limit is reached. */
  accept(): WebSocket | null {
    if (this.#ctx.getWebSockets().length >= SUBSCRIBERS_PER_TASK_MAX) return null;
    const [client, server] = Object.values(new WebSocketPair());
    if (client === undefined || server === undefined)
      throw new Error("A WebSocket pair must have two ends");
    this.#ctx.acceptWebSocket(server);
    return client;
  }

  /** Notifies all subscribers. The output gate holds the messages back until the change is stored. */
  notify(): void {
    for (const socket of this.#ctx.getWebSockets()) {
      // A subscriber may have just closed its socket.
      if (socket.readyState === WebSocket.OPEN) socket.send("");
    }
  }
}
