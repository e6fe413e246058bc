import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import type { Rng } from "../rng.ts";
import type { FeedEventShape } from "../responses.ts";

/**
 * The share of messages whose first attempt the receiver rejects or aborts. A second failure would cause a five-minute
 * pause.
 */
const REJECTED = 0.03;
const BROKEN_OFF = 0.02;

/** A webhook message: an event with a type and a timestamp. */
interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: FeedEventShape;
}

export interface Receiver {
  readonly url: string;
  /** Every accepted message, by its id. */
  readonly messages: ReadonlyMap<string, Message>;
  /** The number of deliveries, including rejected and repeated ones. */
  readonly arrivals: () => number;
  /** Problems that must not occur: an invalid signature, or two different messages with the same id. */
  readonly problems: readonly string[];
  readonly trust: (secret: string) => void;
  readonly close: () => Promise<void>;
}

/** Starts a webhook receiver that verifies each message and sometimes fails, as real receivers do. */
export async function startReceiver(rng: Rng): Promise<Receiver> {
  const messages = new Map<string, Message>();
  const texts = new Map<string, string>();
  const failed = new Set<string>();
  const problems: string[] = [];
  let webhook: Webhook | null = null;
  let arrivals = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const id = String(request.headers["webhook-id"]);
    arrivals += 1;
    try {
      webhook?.verify(body, textsOf(request.headers));
    } catch (error) {
      problems.push(`${id}: ${String(error)}`);
    }
    if (texts.has(id) && texts.get(id) !== body)
      problems.push(`${id} was received with two different bodies`);
    texts.set(id, body);
    const isFirst = !failed.has(id) && !messages.has(id);
    if (isFirst && rng.isHit(REJECTED + BROKEN_OFF)) {
      failed.add(id);
      if (rng.isHit(BROKEN_OFF / (REJECTED + BROKEN_OFF))) request.socket.destroy();
      else response.writeHead(500).end("Not now.");
      return;
    }
    messages.set(id, messageIn(body));
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    // If the service is killed while it sends a message, the request is aborted.
    receive(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The receiver must listen on a port");
  return {
    url: `http://127.0.0.1:${address.port}/in`,
    messages,
    arrivals: () => arrivals,
    problems,
    trust: (secret) => {
      webhook = new Webhook(secret);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function textsOf(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/**
 * The cast is safe because the service wrote the body. If the signature is invalid, a problem has already been
 * recorded.
 */
function messageIn(body: string): Message {
  return JSON.parse(body) as Message;
}
