import { Agent, createServer, request, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { closed, listening } from "../http-server.ts";

/** A proxy for clients that can neither send a key nor be configured with tool names. */
export interface Proxy {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** Adds the key to every request and passes request bodies through `rewritten`. */
export async function startProxy(
  target: string,
  key: string,
  rewritten: (body: string) => string,
): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  // The service closes the connection if it rejects a request without reading its body, so
  // connections are not reused.
  const agent = new Agent({ keepAlive: false });
  async function onwards(incoming: IncomingMessage): Promise<IncomingMessage> {
    const body = rewritten(await text(incoming));
    const { "transfer-encoding": _, ...headers } = incoming.headers;
    return new Promise((resolve, reject) => {
      const onward = request({
        hostname,
        port,
        agent,
        method: incoming.method,
        path: incoming.url,
        headers: {
          ...headers,
          authorization: `Bearer ${key}`,
          "content-length": Buffer.byteLength(body),
        },
      });
      onward.once("response", resolve).once("error", reject).end(body);
    });
  }
  const server: Server = createServer((incoming, outgoing) => {
    onwards(incoming).then(
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
      () => outgoing.destroy(),
    );
  });
  return { origin: await listening(server), stop: () => closed(server) };
}
