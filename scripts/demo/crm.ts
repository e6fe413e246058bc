import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A tiny CRM that is served on this machine. */
export interface Crm {
  readonly origin: string;
  /** The requests received so far, such as `DELETE /customers/ada`. */
  readonly received: readonly string[];
  /** The ids of the customers that exist. */
  customers(): readonly string[];
  stop(): Promise<void>;
}

/** Serves `GET /customers` and `DELETE /customers/:id`, and prints each request that it receives. */
export async function startCrm(ids: readonly string[]): Promise<Crm> {
  const customers = new Set(ids);
  const received: string[] = [];
  const server = createServer(({ method = "", url = "/" }, response) => {
    const line = `${method} ${url}`;
    received.push(line);
    console.log(`  [CRM] ${line}`);
    const id = /^\/customers\/([\w-]+)$/.exec(url)?.[1];
    const isFound = url === "/customers" || (id !== undefined && customers.has(id));
    if (method === "DELETE" && id !== undefined) customers.delete(id);
    response.writeHead(isFound ? 200 : 404, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify(id === undefined ? { customers: [...customers] } : { deleted: id }),
    );
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  // A server that listens on a TCP port has an address object.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    customers: () => [...customers],
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
