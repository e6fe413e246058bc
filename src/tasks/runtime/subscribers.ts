import { SUBSCRIBERS_PER_TASK_MAX } from "../limits.ts";

/**
 * Who follows a task. Their sockets hibernate with the object, so that nobody pays for a task that
 * nothing happens to. All a socket ever says is that there is something to read.
 */
export class Subscribers {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** A new follower's end of a socket; null when there are too many. */
  accept(): WebSocket | null {
    if (this.#ctx.getWebSockets().length >= SUBSCRIBERS_PER_TASK_MAX) return null;
    const [client, server] = Object.values(new WebSocketPair());
    if (client === undefined || server === undefined) throw new Error("A pair has two ends");
    this.#ctx.acceptWebSocket(server);
    return client;
  }

  /** The runtime holds this back until what was written is safe. */
  notify(): void {
    for (const socket of this.#ctx.getWebSockets()) {
      // A follower who has just left is no fault of the task's.
      if (socket.readyState === WebSocket.OPEN) socket.send("");
    }
  }
}
