import { app } from "./app.ts";
import { consumeTurns } from "./tasks/turns.ts";

export { AgentQueue } from "./agents/queue/object.ts";
export { EventFeed } from "./events/object.ts";
export { OnceObject } from "./once/object.ts";
export { TaskObject } from "./tasks/object.ts";
export { ToolMeter } from "./tools/meter.ts";
export { CredentialKeeper } from "./tools/credentials/keeper.ts";
export { WebhookObject } from "./webhooks/object.ts";

export default { fetch: app.fetch, queue: consumeTurns };
