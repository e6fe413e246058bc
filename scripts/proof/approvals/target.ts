import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Rng } from "../rng.ts";

/** The longest time before the target responds, so that kills interrupt calls. */
const DELAY_MAX_MS = 150;

/** The system that the approved calls are sent to. It outlives the service. */
export interface Target {
  readonly origin: string;
  /** The bodies that the target has received, by the number of the call. */
  readonly received: ReadonlyMap<number, readonly string[]>;
  readonly close: () => Promise<void>;
}

export async function startTarget(rng: Rng): Promise<Target> {
  const received = new Map<number, string[]>();
  const server = createServer((request, response) => {
    void (async () => {
      const number = Number(new URL(request.url ?? "/", "http://target.invalid").pathname.slice(1));
      const body = await text(request).catch(() => "(the request was cut off)");
      received.set(number, [...(received.get(number) ?? []), body]);
      await pause(rng.integer(0, DELAY_MAX_MS));
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"done":true}');
    })();
  });
  // The service must not reuse a connection in the moment in which the target closes it.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The target has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
