import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WORKER_AGENT } from "./agents.ts";
import type { Recorder } from "./recorder.ts";

interface Deliveries {
  readonly deliveries: readonly { readonly id: string; readonly status: string }[];
}

/**
 * Registers a webhook for the events that `work` causes. Then reads its deliveries, repeats one of them, and changes
 * and deletes the webhook.
 */
export async function recordWebhooks(
  recorder: Recorder,
  hook: string,
  work: () => Promise<void>,
): Promise<void> {
  const { data: webhook } = await recorder.record<{ id: string }>("createWebhook", {
    body: {
      url: hook,
      types: ["completed", "failed"],
      agentId: WORKER_AGENT,
      description: "Word counts for the ledger",
    },
  });
  const { id } = webhook;
  await work();
  const parameters = { id, status: "delivered", limit: 20 };
  const {
    deliveries: [delivery],
  } = await recorder.until<Deliveries>(
    "listDeliveries",
    { parameters },
    ({ deliveries }) => deliveries.length > 0,
  );
  const deliveryId = delivery?.id ?? "";
  await recorder.record("listDeliveries", { parameters });
  await recorder.record("getDelivery", { parameters: { id, deliveryId } });
  await recorder.record("getWebhook", { parameters: { id } });
  await recorder.record("listWebhooks", { parameters: { limit: 20, offset: 0 } });
  await recorder.record("redeliver", { parameters: { id, deliveryId } });
  await recorder.record("testWebhook", { parameters: { id } });
  await recorder.record("rotateWebhookSecret", { parameters: { id }, body: {} });
  await recorder.record("updateWebhook", {
    parameters: { id },
    body: { types: null, description: "All events of the word counter" },
  });
  await recorder.record("deleteWebhook", { parameters: { id } });
}

/** Starts a webhook receiver that rejects the first message. */
export async function startReceiver(): Promise<{ origin: string; stop(): Promise<void> }> {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    received += 1;
    if (received === 1) response.writeHead(503).end("We are moving house.");
    else response.writeHead(200).end("Thank you.");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      server.close().closeAllConnections();
    },
  };
}
