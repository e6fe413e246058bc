/** Waits for the next message of a socket, for a time to pass, or for an end. */
export class ChangeNotifications {
  #isNudged = false;
  #isOver = false;
  #wake: () => void = () => {};

  /** Null for what tells nothing: then only time passes. */
  constructor(socket: WebSocket | null, signal: AbortSignal) {
    const over = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    socket?.addEventListener("message", () => {
      this.#isNudged = true;
      this.#wake();
    });
    socket?.addEventListener("close", over);
    socket?.addEventListener("error", over);
    signal.addEventListener("abort", over);
    if (signal.aborted || socket === null) over();
  }

  /** What came first; several messages at once are one. */
  async next(timeoutMs: number): Promise<"nudge" | "timeout" | "over"> {
    if (!this.#isNudged && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
    }
    if (this.#isOver) return "over";
    if (!this.#isNudged) return "timeout";
    this.#isNudged = false;
    return "nudge";
  }
}
