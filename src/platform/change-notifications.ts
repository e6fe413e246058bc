/** Waits for the messages on a WebSocket that signals changes. */
export class ChangeNotifications {
  #isChanged = false;
  #isOver = false;
  #wake: () => void = () => {};

  /** If there is no socket, `next` always returns "over". */
  constructor(socket: WebSocket | null, signal: AbortSignal) {
    const end = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    socket?.addEventListener("message", () => {
      this.#isChanged = true;
      this.#wake();
    });
    socket?.addEventListener("close", end);
    socket?.addEventListener("error", end);
    signal.addEventListener("abort", end);
    if (signal.aborted || socket === null) end();
  }

  /** Messages that arrive together count as one change. */
  async next(timeoutMs: number): Promise<"changed" | "timeout" | "over"> {
    if (!this.#isChanged && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
    }
    if (this.#isOver) return "over";
    if (!this.#isChanged) return "timeout";
    this.#isChanged = false;
    return "changed";
  }
}
