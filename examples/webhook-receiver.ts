// Receives Bosun's webhook messages, verifies them and prints each event.
// WEBHOOK_SECRET=whsec_… npm run webhook-receiver -- 8793
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { givenPort } from "./port.ts";

/** The payload of a message about a task event. */
interface WebhookMessage {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly taskId?: string; readonly seq?: number };
}

const port = await givenPort("webhook-receiver");
const { WEBHOOK_SECRET = "" } = process.env;
if (!WEBHOOK_SECRET.startsWith("whsec_")) {
  console.error("Set WEBHOOK_SECRET to the secret in the response of POST /agents/webhooks.");
  process.exit(1);
}
const webhook = new Webhook(WEBHOOK_SECRET);
/** A message can arrive more than once with the same id. In production, store the ids for a few days. */
const seen = new Set<string>();

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The signature covers the raw body.
  const body = await text(request);
  const id = String(request.headers["webhook-id"]);
  let message: WebhookMessage;
  try {
    message = webhook.verify(body, asTexts(request.headers)) as WebhookMessage;
  } catch {
    response.writeHead(401).end("Invalid signature.");
    return;
  }
  // Respond before you process the message. If Bosun receives no response within 15 seconds, it sends the message
  // again.
  response.writeHead(204).end();
  if (seen.has(id)) return;
  seen.add(id);
  const { type, timestamp, data } = message;
  console.log(`${timestamp} ${type} ${data.taskId ?? ""} ${data.seq ?? ""}`.trimEnd());
}

function asTexts(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

const server = createServer((request, response) => void receive(request, response));
server.listen(port, "127.0.0.1", () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => server.close(() => process.exit(0)).closeAllConnections());
