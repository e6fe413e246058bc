import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy that forwards connections to a service on loopback and can simulate a network outage. */
export interface Proxy {
  readonly origin: string;
  /** Ends all connections and refuses new ones. */
  readonly cut: () => Promise<void>;
  /** Accepts connections again, on the same port. */
  readonly restore: () => Promise<void>;
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port: targetPort } = new URL(target);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(Number(targetPort), hostname);
    clients.add(client);
    client.on("close", () => {
      clients.delete(client);
      service.destroy();
    });
    service.on("close", () => client.destroy());
    for (const socket of [client, service]) socket.on("error", () => socket.destroy());
    client.pipe(service).pipe(client);
  });

  async function listenOn(port: number): Promise<number> {
    server.listen(port, hostname);
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string")
      throw new Error("The proxy is not listening on a port");
    return address.port;
  }

  const port = await listenOn(0);
  return {
    origin: `http://${hostname}:${port}`,
    async cut() {
      server.close();
      for (const client of clients) client.destroy();
      await once(server, "close");
    },
    async restore() {
      await listenOn(port);
    },
  };
}
