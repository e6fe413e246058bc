import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { CARDS } from "./hostile-a2a/cards.ts";
import { cardFor, BEHAVIOURS } from "./hostile-a2a/behaviours.ts";
import { json, refuses } from "./hostile-a2a/protocol.ts";

/**
 * A2A agents, one per path (`/<name>/<visit>/card.json`). Each behaves as its name says and
 * otherwise follows the protocol. `GET /seen/<visit>` returns the requests from a visit.
 */

interface Sent {
  readonly method: string;
  readonly params: object;
  readonly headers: IncomingMessage["headers"];
}

const visits = new Map<string, Sent[]>();

function noted(visit: string, sent: Sent): Sent[] {
  const all = [...(visits.get(visit) ?? []), sent];
  visits.set(visit, all);
  return all;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const origin = `http://${request.headers.host}`;
  const [, name = "", visit = "", leaf] = new URL(request.url ?? "/", origin).pathname.split("/");
  if (name === "seen") return json(response, visits.get(visit) ?? []);
  if (name === "file") {
    if (visit !== "chart.png") return json(response, {}, 404);
    return void response.end("a picture");
  }
  const manner = BEHAVIOURS[name];
  const { headers } = request;
  if (leaf === "card.json") {
    noted(visit, { method: "card", params: {}, headers });
    const rpc = `${origin}/${name}/${visit}/rpc`;
    const card = CARDS[name];
    if (card !== undefined) return card(response, rpc, request);
    if (manner !== undefined) return json(response, cardFor(manner, rpc));
  }
  if (manner === undefined || leaf !== "rpc") return json(response, {}, 404);
  const { method, id, params } = JSON.parse(await text(request));
  const all = noted(visit, { method, params, headers });
  const count = all.filter((one) => one.method === method).length;
  const step = manner.methods[method] ?? refuses(-32601, "Method not found");
  step({ method, id, params, request, response, count, origin });
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, "127.0.0.1", () => {
  // The address is an object, because the server listens on a TCP port.
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
