import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import { del, post, ROOT, send } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { rpc } from "./a2a-endpoints.ts";
import { sendRequest } from "./send-request.ts";
import { uniqueName, must, OWN_TENANT, ownTool, OTHER_TENANT, taskOf } from "./tenants.ts";
import { missingTaskId, unknownIdLike } from "./unknown-ids.ts";
import { sameRequestTwice, reading, type RequestPairSource } from "./request-pairs.ts";

/** The operations on a webhook. */
const ON_WEBHOOK: readonly (readonly [method: string, at: string, body?: JsonObject])[] = [
  ["GET", ""],
  ["PATCH", "", { description: "Mine" }],
  ["DELETE", ""],
  ["POST", "/secret", {}],
  ["POST", "/test", {}],
  ["GET", "/deliveries"],
  ["GET", "/deliveries/dlv_1"],
  ["POST", "/deliveries/dlv_1/redeliver", {}],
];

/** Requests whose responses must not reveal that a resource is stored. */
export const HIDDEN_REQUESTS: readonly RequestPairSource[] = [
  ...ON_WEBHOOK.map(([method, at, body]): RequestPairSource => ({
    title: `an A2A push configuration, addressed as a webhook: ${method} ${at}`,
    protocol: "rest",
    async prepare() {
      const id = await pushWebhook();
      const path = `/agents/webhooks/${id}${at}`;
      const asked = body === undefined ? { method, path } : { method, path, body };
      return sameRequestTwice(asked, [id, `whk_${"0".repeat(id.length - 4)}`]);
    },
  })),
  ...["GET", "PATCH", "DELETE"].map((method): RequestPairSource => ({
    title: `a retired tool: ${method}`,
    protocol: "rest",
    async prepare() {
      const id = await ownTool();
      must(await del(`/agents/tools/${id}`));
      const body = method === "PATCH" ? { body: { name: "Back" } } : {};
      return sameRequestTwice({ method, path: `/agents/tools/${id}`, ...body }, [
        id,
        unknownIdLike(id),
      ]);
    },
  })),
  {
    title: "a revoked key",
    protocol: "rest",
    async prepare() {
      const id = keyId(await keyWith(["tools:read"]));
      must(await del(`/agents/keys/${id}`));
      return sameRequestTwice({ method: "DELETE", path: `/agents/keys/${id}` }, [
        id,
        "0".repeat(16),
      ]);
    },
  },
  {
    title: "a deleted agent",
    protocol: "rest",
    async prepare() {
      const id = uniqueName("gone");
      must(await post("/agents", { id, executor: { type: "worker" } }));
      must(await del(`/agents/${id}`));
      return sameRequestTwice(reading(`/agents/${id}`), [id, unknownIdLike(id)]);
    },
  },
  {
    title: "a deleted team",
    protocol: "rest",
    async prepare() {
      const id = uniqueName("gone");
      must(await send("PUT", `/agents/teams/${id}`, { agents: [] }));
      must(await del(`/agents/teams/${id}`));
      return sameRequestTwice(reading(`/agents/teams/${id}`), [id, unknownIdLike(id)]);
    },
  },
  {
    title: "an object that is not a task",
    protocol: "rest",
    async prepare() {
      const id = env.QUEUES.idFromName(OWN_TENANT.agentId).toString();
      return sameRequestTwice(reading(`/agents/tasks/${id}`), [id, "b".repeat(64)]);
    },
  },
  {
    title: "a file at a made-up link",
    isKeyless: true,
    protocol: "rest",
    async prepare() {
      const { id } = await taskOf(OTHER_TENANT, "completed");
      const link = `?expires=99999999999&signature=${"A".repeat(43)}`;
      return sameRequestTwice(reading(`/agents/tasks/${id}/deliverables/log.txt${link}`), [
        id,
        missingTaskId(),
      ]);
    },
  },
  {
    title: "a connection with a made-up state",
    protocol: "rest",
    async prepare() {
      const id = await ownTool();
      const path = `/agents/tools/${id}/credentials/callback?state=x.y.z&code=1`;
      return sameRequestTwice(reading(path), [id, unknownIdLike(id)]);
    },
  },
];

/** Creates the webhook of an A2A push configuration, which is visible only over A2A. */
async function pushWebhook(): Promise<string> {
  const { id } = await taskOf(OWN_TENANT, "pending");
  const url = "https://93.184.216.34/push";
  const asked = rpc("CreateTaskPushNotificationConfig", { taskId: id, id: uniqueName("cfg"), url });
  must(await sendRequest(asked, `Bearer ${ROOT}`));
  const row = env.DB.prepare("SELECT id FROM webhooks WHERE task_id = ?").bind(id);
  const found = await row.first<string>("id");
  if (found === null) throw new Error("The configuration has no webhook");
  return found;
}
