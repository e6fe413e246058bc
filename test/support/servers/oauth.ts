/** An OAuth server: oauth2-mock-server on a single port, with separate state for each client. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import {
  OAuth2Server,
  type MutableResponse,
  type TokenRequestIncomingMessage,
} from "oauth2-mock-server";

interface Client {
  secret: string | null;
  /** How the client must authenticate. */
  authentication: "basic" | "post" | "none";
  expiresIn: number | null;
  /** The current refresh token; null if none was issued or the grant is revoked. */
  refreshToken: string | null;
  /** Whether each refresh returns a new refresh token. */
  rotates: boolean;
  /** Whether the client receives refresh tokens. */
  refreshes: boolean;
  /** The token endpoint's response while it is failing. */
  failure: { status: number; body: unknown } | null;
  revokedTokens: string[];
}

interface Seen {
  /** Bodies of token requests, oldest first. */
  requests: Record<string, string>[];
  accessTokens: string[];
  refreshTokens: string[];
}

const clients = new Map<string, Client & Seen>();
const FRESH: Client = {
  secret: null,
  authentication: "basic",
  expiresIn: 3_600,
  refreshToken: null,
  rotates: true,
  refreshes: true,
  failure: null,
  revokedTokens: [],
};

const oauth = new OAuth2Server();
await oauth.issuer.keys.generate("RS256");
let minted = 0;

oauth.service.on("beforeTokenSigning", (token) => {
  // Without a `jti`, two tokens issued in the same second would be identical.
  minted += 1;
  token.payload["jti"] = String(minted);
});

oauth.service.on(
  "beforeResponse",
  (response: MutableResponse, request: TokenRequestIncomingMessage) => {
    const body = { ...request.body } as unknown as Record<string, string>;
    const [scheme, id, secret] = presented(request, body);
    const client = clients.get(id);
    if (client === undefined) return refuse(response, 401, "invalid_client");
    client.requests.push({ ...body, authentication: scheme });
    if (client.failure !== null) {
      response.statusCode = client.failure.status;
      response.body = client.failure.body as MutableResponse["body"];
      return;
    }
    if (scheme !== client.authentication || secret !== client.secret)
      return refuse(response, 401, "invalid_client");
    if (body["grant_type"] === "refresh_token" && body["refresh_token"] !== client.refreshToken) {
      return refuse(response, 400, "invalid_grant");
    }
    const answer = response.body as unknown as Record<string, unknown>;
    if (client.expiresIn === null) delete answer["expires_in"];
    else answer["expires_in"] = client.expiresIn;
    client.accessTokens.push(String(answer["access_token"]));
    if (body["grant_type"] === "client_credentials") return;
    if (!client.refreshes) delete answer["refresh_token"];
    else if (client.rotates || client.refreshToken === null) {
      client.refreshToken = String(answer["refresh_token"]);
      client.refreshTokens.push(client.refreshToken);
    } else delete answer["refresh_token"];
  },
);

function refuse(response: MutableResponse, status: number, error: string): void {
  response.statusCode = status;
  response.body = {
    error,
    error_description: "as the test wants it",
  };
}

/** Returns the authentication method and credentials that the client used. */
function presented(
  request: IncomingMessage,
  body: Record<string, string>,
): [scheme: "basic" | "post" | "none", id: string, secret: string | null] {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (basic === undefined) {
    const secret = body["client_secret"] ?? null;
    return [secret === null ? "none" : "post", body["client_id"] ?? "", secret];
  }
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString().split(":");
  const decode = (text: string) => decodeURIComponent(text.replaceAll("+", " "));
  return ["basic", decode(id), decode(secret)];
}

/**
 * /control/:client: PUT configures the client and its tokens. GET returns the client's
 * configuration, token requests and tokens.
 */
async function control(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<void> {
  if (request.method === "PUT") {
    const settings = JSON.parse(await textOf(request));
    const before = clients.get(id) ?? {
      ...FRESH,
      requests: [],
      accessTokens: [],
      refreshTokens: [],
    };
    clients.set(id, { ...before, ...settings });
  }
  send(response, 200, clients.get(id) ?? {});
}

/** /resource/:client: responds with 200 to a valid access token, otherwise with 401. */
function resource(request: IncomingMessage, response: ServerResponse, id: string): void {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const client = clients.get(id);
  const isGood =
    client?.accessTokens.includes(token) === true && !client.revokedTokens.includes(token);
  send(response, isGood ? 200 : 401, { isGood });
}

/**
 * Gates, by name. A gate is created by the waiting request or by the test, whichever comes first.
 */
const gates = new Map<
  string,
  { came: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> }
>();

function gateOf(name: string) {
  const gate = gates.get(name) ?? {
    came: Promise.withResolvers<void>(),
    open: Promise.withResolvers<void>(),
  };
  gates.set(name, gate);
  return gate;
}

async function pass(name: string): Promise<void> {
  const gate = gateOf(name);
  gate.came.resolve();
  await gate.open.promise;
}

/** /gate/:name: GET responds once a token request has reached the gate. PUT opens the gate. */
async function watchGate(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<void> {
  if (request.method === "PUT") gateOf(name).open.resolve();
  else await gateOf(name).came.promise;
  send(response, 200, {});
}

/**
 * The body and the `Authorization` header of each request that followed the redirect. The list must stay empty, because
 * the service must not send secrets to the target of a redirect.
 */
const strayRequests: string[] = [];

/** /rogue/:way: misbehaving token endpoints. */
async function rogue(
  request: IncomingMessage,
  response: ServerResponse,
  way: string,
): Promise<void> {
  const body = await textOf(request);
  switch (way) {
    case "html":
      return void response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Sign in</p>");
    case "html-401":
      return void response.writeHead(401, { "Content-Type": "text/html" }).end("<p>No</p>");
    case "empty":
      return void response.writeHead(204).end();
    case "list":
      return send(response, 200, ["access_token"]);
    case "down":
      return void response.writeHead(503, { "Content-Type": "text/plain" }).end("Down");
    case "no-with-200":
      return send(response, 200, { error: "invalid_grant", error_description: body });
    case "echo":
      return send(response, 400, {
        error: body,
        error_description: `${request.headers.authorization}`,
      });
    case "challenge":
      response.setHeader("WWW-Authenticate", 'Basic realm="tokens"');
      return send(response, 401, { error: "invalid_client" });
    case "redirect":
      return void response.writeHead(307, { Location: "/rogue/elsewhere" }).end();
    case "elsewhere":
      strayRequests.push(body, `${request.headers.authorization}`);
      return send(response, 200, { access_token: "strayed", token_type: "bearer" });
    case "strayed":
      return send(response, 200, { strayed: strayRequests });
    case "huge":
      return send(response, 200, { access_token: "x".repeat(100_000), token_type: "bearer" });
    case "line-break":
      return send(response, 200, { access_token: "one\r\ntwo", token_type: "bearer" });
    case "dpop":
      return send(response, 200, { access_token: "bound", token_type: "DPoP" });
    case "for-ever":
      return send(response, 200, {
        access_token: "eternal",
        token_type: "bearer",
        expires_in: 1e300,
      });
    case "reset":
      return void request.socket.destroy();
    default:
      return void response.writeHead(404).end();
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  void route(request, response);
});

async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const [, room = "", name = ""] = url.pathname.split("/");
  if (room === "control") return control(request, response, name);
  if (room === "resource") return resource(request, response, name);
  if (room === "rogue") return rogue(request, response, name);
  if (room === "gate") return watchGate(request, response, name);
  // `?gate=` blocks a token response until the gate opens.
  const gateName = url.searchParams.get("gate");
  if (gateName !== null) await pass(gateName);
  // `?delayMs=` delays a token response.
  await wait(Number(url.searchParams.get("delayMs")));
  oauth.service.requestHandler(request, response);
}

server.listen(0, "127.0.0.1", () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  oauth.issuer.url = origin;
  console.log(`ready ${origin}`);
});
process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close();
});
