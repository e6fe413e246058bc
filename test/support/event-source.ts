import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { EventSource } from "eventsource";
import worker from "../../src/index.ts";
import { ORIGIN, ROOT } from "./client.ts";

/** One message that the client of the web's standard has understood. */
interface ReceivedMessage {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
  readonly data: any;
}

export interface Listener {
  readonly received: readonly ReceivedMessage[];
  /** `Last-Event-ID` of each connection, null where none was sent, with the status that it got. */
  readonly connections: readonly { readonly lastEventId: string | null; readonly status: number }[];
  /** Until something holds, looked at after whatever happens. */
  until(holds: () => boolean): Promise<void>;
  /** Cuts the connection as a network would; the client comes back by itself. */
  cut(): void;
  /** Whether the client has given up for good, as after a 204. */
  readonly isClosed: () => boolean;
  close(): void;
}

/** Listens with the package `eventsource`, which reconnects by itself as browsers do. */
export function listen(path: string, key = ROOT): Listener {
  const heard: ReceivedMessage[] = [];
  const connections: { lastEventId: string | null; status: number }[] = [];
  const waiting = new Set<() => void>();
  let line = new AbortController();
  const happened = (): void => waiting.forEach((look) => look());
  const source = new EventSource(`${ORIGIN}${path}`, {
    fetch: async (url, init) => {
      line = new AbortController();
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${key}`);
      const request = new Request(url, { headers });
      const response = await worker.fetch(request, env, createExecutionContext());
      const lastEventId = headers.get("Last-Event-ID");
      connections.push({ lastEventId, status: response.status });
      return response.body === null ? response : cuttable(response, line.signal);
    },
  });
  for (const type of ["snapshot", "message"]) {
    source.addEventListener(type, ({ data }: MessageEvent) => {
      heard.push({ type, data: JSON.parse(data) });
      happened();
    });
  }
  source.addEventListener("error", happened);
  return {
    received: heard,
    connections,
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    cut: () => line.abort(new Error("The line was cut")),
    isClosed: () => source.readyState === EventSource.CLOSED,
    close: () => source.close(),
  };
}

/** The same response, until the line is cut: then its reader sees it break, and its writer that nobody reads. */
function cuttable({ body, status, headers }: Response, signal: AbortSignal): Response {
  const { readable, writable } = new TransformStream();
  void body?.pipeTo(writable, { signal }).catch(() => {});
  return new Response(readable, { status, headers });
}
