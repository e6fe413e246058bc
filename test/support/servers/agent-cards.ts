/** Serves valid and invalid A2A agent cards. There are no agents behind them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const seen: Record<string, number> = {};

function card(origin: string, changes: object = {}): object {
  return {
    name: "Weather agent",
    description: "Knows tomorrow's weather.",
    version: "1.0.0",
    supportedInterfaces: [
      { url: `${origin}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: ["weather", "wind"].map((name) => ({ id: name, name, description: name, tags: [] })),
    ...changes,
  };
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const send = (status: number, body: unknown) => {
    response
      .writeHead(status, { "Content-Type": "application/json" })
      .end(typeof body === "string" ? body : JSON.stringify(body));
  };
  seen[pathname] = (seen[pathname] ?? 0) + 1;
  switch (pathname) {
    case "/good.json":
      return send(200, card(origin));
    // A card whose strings are oversized and contain unusual characters.
    case "/endless.json": {
      const name = `Null\u0000 ${"é\u{1F600}".repeat(1_000)}`;
      const skills = Array.from({ length: 100 }, (_, index) => ({
        id: `s${index}`,
        name: `${index} ${name.slice(0, 300)}`,
        description: "",
        tags: [],
      }));
      return send(200, card(origin, { name, description: name, skills }));
    }
    // Returns the valid card if the request contains the right key.
    case "/keyed.json":
      return request.headers["x-key"] === "card-key" ? send(200, card(origin)) : send(401, {});
    case "/bearer.json": {
      const isKnown = request.headers.authorization === "Bearer card-key";
      return isKnown ? send(200, card(origin)) : send(401, {});
    }
    // The agent's origin differs from its card's.
    case "/elsewhere.json":
      return send(200, card("https://93.184.216.34"));
    // An A2A 0.3 card.
    case "/old.json":
      return send(200, { name: "Old", url: origin, protocolVersion: "0.3.0", skills: [] });
    case "/text":
      return send(200, "Hello");
    // Never responds.
    case "/hangs":
      return;
    // The number of requests for each path.
    case "/seen":
      return send(200, seen);
    default:
      return send(404, {});
  }
});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready http://127.0.0.1:${port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
