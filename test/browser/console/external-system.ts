import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closed, listening } from "../../e2e/deployed/http-server.ts";

/** An HTTP API with an OpenAPI document, and a receiver of webhooks, on loopback. */
export interface ExternalSystem {
  readonly origin: string;
  /** The status with which the receiver responds. */
  hookStatus: number;
  /** The messages that the receiver got. */
  readonly received: string[];
  readonly close: () => Promise<void>;
}

const HARBOUR = { name: "harbour", in: "path", required: true, schema: { type: "string" } };

function documentAt(url: string, title: string): object {
  return {
    openapi: "3.1.0",
    info: { title, version: "1" },
    servers: [{ url }],
    paths: {
      "/tides/{harbour}": {
        get: {
          operationId: "get-tide",
          summary: "Read the tide",
          parameters: [
            HARBOUR,
            { name: "hour", in: "query", schema: { type: "integer", minimum: 0, maximum: 23 } },
          ],
          responses: { "200": { description: "The tide." } },
        },
        delete: {
          operationId: "delete-tide",
          summary: "Delete the tide",
          parameters: [HARBOUR],
          responses: { "204": { description: "Deleted." } },
        },
      },
    },
  };
}

export async function startExternalSystem(): Promise<ExternalSystem> {
  const received: string[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { pathname, searchParams } = new URL(request.url ?? "/", system.origin);
    if (pathname === "/hook") {
      received.push(body);
      response.writeHead(system.hookStatus).end();
      return;
    }
    const shown =
      pathname === "/openapi.json"
        ? documentAt(system.origin, searchParams.get("title") ?? "Tides")
        : { metres: 1.5, at: `${pathname} hour ${searchParams.get("hour")}` };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(shown));
  }

  const server = createServer((request, response) => void answer(request, response));
  const system: ExternalSystem = {
    origin: await listening(server),
    hookStatus: 200,
    received,
    close: () => closed(server),
  };
  return system;
}
