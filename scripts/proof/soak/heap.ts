const PATIENCE_MS = 5_000;
/** The inspector target of the Worker's isolate. The other targets are the simulators of D1, R2 and the queue. */
const TARGET = "core:user:bosun";

/** The used JavaScript heap of the Worker's isolate in bytes, including garbage that has not been collected. */
export async function heapBytes(inspector: URL): Promise<number> {
  const socket = new WebSocket(`${inspector.href}${TARGET}`);
  try {
    const answer = new Promise<string>((resolve, reject) => {
      setTimeout(
        () => reject(new Error(`The inspector did not respond within ${PATIENCE_MS} ms`)),
        PATIENCE_MS,
      ).unref();
      socket.addEventListener("error", () => reject(new Error("The inspector cannot be reached")));
      socket.addEventListener("message", ({ data }) => resolve(String(data)));
      socket.addEventListener("open", () =>
        socket.send(JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" })),
      );
    });
    return usedIn(await answer);
  } finally {
    socket.close();
  }
}

function usedIn(answer: string): number {
  const used = Number(/"usedSize":(\d+)/.exec(answer)?.[1]);
  if (!Number.isFinite(used))
    throw new Error(`The inspector returned no usedSize: ${answer.slice(0, 200)}`);
  return used;
}
