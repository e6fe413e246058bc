import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { EventSource } from "eventsource";
import worker from "../../src/index.ts";
import { TASK_EVENT_TYPES } from "../../src/tasks/model/events.ts";
import { ORIGIN, ROOT } from "./client.ts";

/** A message received by the standard EventSource client. */
interface ReceivedMessage {
  readonly type: string;
  readonly id: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as in Answer: a test asserts the shape it reads
  readonly data: any;
}

export interface Listener {
  readonly received: readonly ReceivedMessage[];
  /** Each connection's response status and the `Last-Event-ID` that was sent (null if none). */
  readonly connections: readonly { readonly lastEventId: string | null; readonly status: number }[];
  /** Resolves once the condition is true. Checks it immediately and after each message or error. */
  until(holds: () => boolean): Promise<void>;
  /** Breaks the connection as a network failure would. The client then reconnects. */
  cut(): void;
  /** Whether the client has stopped reconnecting, for example after a 204. */
  readonly isClosed: () => boolean;
  close(): void;
}

const TYPES: readonly string[] = ["snapshot", "message", "live", ...TASK_EVENT_TYPES];

/**
 * Listens with the `eventsource` package, which reconnects as browsers do. The key is sent in the Authorization header,
 * unless other headers are given.
 */
export function listen(
  path: string,
  key = ROOT,
  authentication: Readonly<Record<string, string>> = { Authorization: `Bearer ${key}` },
): Listener {
  const messages: ReceivedMessage[] = [];
  const connections: { lastEventId: string | null; status: number }[] = [];
  const waiting = new Set<() => void>();
  let line = new AbortController();
  const happened = (): void => waiting.forEach((look) => look());
  const source = new EventSource(`${ORIGIN}${path}`, {
    fetch: async (url, init) => {
      line = new AbortController();
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(authentication)) headers.set(name, value);
      const request = new Request(url, { headers });
      const response = await worker.fetch(request, env, createExecutionContext());
      const lastEventId = headers.get("Last-Event-ID");
      connections.push({ lastEventId, status: response.status });
      return response.body === null ? response : cuttable(response, line.signal);
    },
  });
  for (const type of TYPES) {
    source.addEventListener(type, ({ data, lastEventId }: MessageEvent) => {
      messages.push({ type, id: lastEventId, data: JSON.parse(data) });
      happened();
    });
  }
  source.addEventListener("error", happened);
  return {
    received: messages,
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
    cut: () => line.abort(new Error("The connection was interrupted")),
    isClosed: () => source.readyState === EventSource.CLOSED,
    close: () => {
      source.close();
      line.abort(new Error("The client closed the connection"));
    },
  };
}

/**
 * Passes a response through until `signal` aborts. The reader then gets an error, and the source is
 * cancelled.
 */
function cuttable({ body, status, headers }: Response, signal: AbortSignal): Response {
  const { readable, writable } = new TransformStream();
  void body?.pipeTo(writable, { signal }).catch(() => {});
  return new Response(readable, { status, headers });
}
