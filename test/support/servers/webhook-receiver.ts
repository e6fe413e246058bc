/** Webhook receivers, one per name. Each stores its deliveries and responds as configured. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A receiver's configured response. */
interface ResponseConfig {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly hangs?: boolean;
  /**
   * The secrets against which each delivery is verified with `standardwebhooks` and the real clock.
   */
  readonly secrets?: readonly string[];
}

interface Delivery {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** For each secret, whether it matches the signature. */
  readonly verified: readonly boolean[];
}

class Receiver {
  config: ResponseConfig = {};
  readonly seen: Delivery[] = [];
  hanging: ServerResponse[] = [];
  listeners: (() => void)[] = [];
}

const receivers = new Map<string, Receiver>();

function receiver(name: string): Receiver {
  const known = receivers.get(name) ?? new Receiver();
  receivers.set(name, known);
  return known;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://receiver");
  const [, room = "", name = ""] = pathname.split("/");
  const at = receiver(name);
  let body = "";
  for await (const chunk of request) body += String(chunk);
  switch (`${request.method} ${room}`) {
    // POST /in/<name>…: receives a delivery.
    case "POST in":
      return take(at, request, body, response);
    // PUT /as/<name>: configures the response.
    case "PUT as":
      at.config = JSON.parse(body);
      return void response.end();
    // GET /seen/<name>: the deliveries, oldest first. ?least= waits for that many.
    case "GET seen":
      await arrival(at, Number(query.get("least") ?? 0));
      response.setHeader("Content-Type", "application/json");
      return void response.end(JSON.stringify(at.seen));
    // POST /release/<name>: responds to hanging deliveries with ?status= or 200.
    case "POST release":
      for (const one of at.hanging) one.writeHead(Number(query.get("status") ?? 200)).end();
      at.hanging = [];
      return void response.end();
    default:
      return void response.writeHead(404).end();
  }
}

function take(
  at: Receiver,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const {
    status = 200,
    headers = {},
    body: responseBody = "",
    hangs = false,
    secrets = [],
  } = at.config;
  const given = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const verified = secrets.map((secret) => isSigned(secret, body, given));
  at.seen.push({ path: request.url ?? "", headers: given, body, verified });
  for (const listener of at.listeners) listener();
  if (hangs) at.hanging.push(response);
  else response.writeHead(status, headers).end(responseBody);
}

function isSigned(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

async function arrival(at: Receiver, least: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = (): void => {
    if (at.seen.length >= least) resolve();
  };
  at.listeners.push(listener);
  listener();
  await promise;
  at.listeners = at.listeners.filter((one) => one !== listener);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
