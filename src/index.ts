import { runBuiltinStep } from "./executors/builtin.ts";
import { consumeTurns } from "./executors/turn-consumer.ts";
import { ApprovalObject } from "./governance/approvals/approval.object.ts";
import { makeApprovedCall } from "./tasks/api/make-approved-call.ts";
import { EventFeed } from "./events/feed.object.ts";
import { WebhookObject } from "./events/webhooks/webhook.object.ts";
import { getDatabase } from "./platform/d1/client.ts";
import { saveUnratedRows } from "./tasks/directory/directory.store.ts";
import { TaskObject } from "./tasks/runtime/task.object.ts";

export { AgentQueue } from "./agents/queue/queue.object.ts";
export { EventFeedWithDirectory as EventFeed };
export { LimitObject } from "./governance/spending/limit.object.ts";
export { IdempotencyKeyObject as OnceObject } from "./platform/idempotency/idempotency-key.object.ts";
export { ApprovalObjectWithCalls as ApprovalObject };
export { TaskObjectWithAgent as TaskObject };
export { ToolMeter } from "./tools/metering/tool-meter.object.ts";
export { TokenRefresher } from "./tools/credentials/token-refresher.object.ts";
export { WebhookObjectWithPush as WebhookObject };

/** Adds the built-in agent to the task object; `tasks/runtime` imports only the agent's contract. */
class TaskObjectWithAgent extends TaskObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, (request) => runBuiltinStep(env, request));
  }
}

/** Gives the approval object the function that makes approved calls. */
class ApprovalObjectWithCalls extends ApprovalObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, makeApprovedCall);
  }
}

/** Gives the event feed the function that writes directory rows. */
class EventFeedWithDirectory extends EventFeed {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, async (writes) => saveUnratedRows(getDatabase(env.DB), writes));
  }
}

/** Adds the A2A push message writer, which is loaded on first use, to the webhook object. */
class WebhookObjectWithPush extends WebhookObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, async () => {
      const { writePushMessage } = await import("./interfaces/a2a/push-notifications.ts");
      return writePushMessage;
    });
  }
}

/** Loads the routes and their schemas on the first request, because Durable Objects and the queue do not need them. */
async function fetchApp(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const { app } = await import("./app.ts");
  return app.fetch(request, env, ctx);
}

export default { fetch: fetchApp, queue: consumeTurns };
