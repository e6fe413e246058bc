import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import { del, post, ROOT, send } from "../support/client.ts";
import { keyId, keyWith } from "../support/keys.ts";
import { rpc } from "./a2a.ts";
import { ask } from "./ask.ts";
import { fresh, must, OWN, ownTool, RIVAL, taskOf } from "./crew.ts";
import { noTask, strangeIdLike } from "./nowhere.ts";
import { both, reading, type PairOf } from "./pairs.ts";

/** Where a webhook is asked for, and all that can be done with one. */
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

/** What lies in the store, and yet is not there for anybody. */
export const HIDDEN: readonly PairOf[] = [
  ...ON_WEBHOOK.map(([method, at, body]): PairOf => ({
    title: `a push configuration of A2A as a webhook: ${method} ${at}`,
    door: "rest",
    async prepare() {
      const id = await pushWebhook();
      const path = `/agents/webhooks/${id}${at}`;
      const asked = body === undefined ? { method, path } : { method, path, body };
      return both(asked, [id, `whk_${"0".repeat(id.length - 4)}`]);
    },
  })),
  ...["GET", "PATCH", "DELETE"].map((method): PairOf => ({
    title: `a tool that was retired: ${method}`,
    door: "rest",
    async prepare() {
      const id = await ownTool();
      must(await del(`/agents/tools/${id}`));
      const body = method === "PATCH" ? { body: { name: "Back" } } : {};
      return both({ method, path: `/agents/tools/${id}`, ...body }, [id, strangeIdLike(id)]);
    },
  })),
  {
    title: "a key that was revoked",
    door: "rest",
    async prepare() {
      const id = keyId(await keyWith(["tools:read"]));
      must(await del(`/agents/keys/${id}`));
      return both({ method: "DELETE", path: `/agents/keys/${id}` }, [id, "0".repeat(16)]);
    },
  },
  {
    title: "an agent that was deleted",
    door: "rest",
    async prepare() {
      const id = fresh("gone");
      must(await post("/agents", { id, executor: { type: "worker" } }));
      must(await del(`/agents/${id}`));
      return both(reading(`/agents/${id}`), [id, strangeIdLike(id)]);
    },
  },
  {
    title: "a team that was deleted",
    door: "rest",
    async prepare() {
      const id = fresh("gone");
      must(await send("PUT", `/agents/teams/${id}`, { agents: [] }));
      must(await del(`/agents/teams/${id}`));
      return both(reading(`/agents/teams/${id}`), [id, strangeIdLike(id)]);
    },
  },
  {
    title: "an object that is no task",
    door: "rest",
    async prepare() {
      const id = env.QUEUES.idFromName(OWN.agentId).toString();
      return both(reading(`/agents/tasks/${id}`), [id, "b".repeat(64)]);
    },
  },
  {
    title: "a file behind a link that was made up",
    isKeyless: true,
    door: "rest",
    async prepare() {
      const { id } = await taskOf(RIVAL, "completed");
      const link = `?expires=99999999999&signature=${"A".repeat(43)}`;
      return both(reading(`/agents/tasks/${id}/deliverables/log.txt${link}`), [id, noTask()]);
    },
  },
  {
    title: "a connection with a state that was made up",
    door: "rest",
    async prepare() {
      const id = await ownTool();
      const path = `/agents/tools/${id}/credentials/callback?state=x.y.z&code=1`;
      return both(reading(path), [id, strangeIdLike(id)]);
    },
  },
];

/** The webhook behind a push configuration of A2A, which its own door alone knows of. */
async function pushWebhook(): Promise<string> {
  const { id } = await taskOf(OWN, "pending");
  const url = "https://93.184.216.34/push";
  const asked = rpc("CreateTaskPushNotificationConfig", { taskId: id, id: fresh("cfg"), url });
  must(await ask(asked, `Bearer ${ROOT}`));
  const row = env.DB.prepare("SELECT id FROM webhooks WHERE task_id = ?").bind(id);
  const found = await row.first<string>("id");
  if (found === null) throw new Error("The configuration has no webhook");
  return found;
}
