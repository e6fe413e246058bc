import { app } from "./app.ts";
import { consumeTurns } from "./tasks/runtime/turn-consumer.ts";

export { AgentQueue } from "./agents/queue/queue.object.ts";
export { EventFeed } from "./events/feed.object.ts";
export { OnceObject } from "./platform/idempotency/idempotency-key.object.ts";
export { TaskObject } from "./tasks/runtime/task.object.ts";
export { ToolMeter } from "./tools/metering/tool-meter.object.ts";
export { CredentialKeeper } from "./tools/credentials/token-refresher.object.ts";
export { WebhookObject } from "./events/webhooks/webhook.object.ts";

export default { fetch: app.fetch, queue: consumeTurns };
