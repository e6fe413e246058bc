import { env } from "cloudflare:workers";
import type { JsonObject } from "../../src/kernel/json.ts";
import { SCOPES } from "../../src/keys/model/key.ts";
import { post, ROOT, send } from "../support/client.ts";
import { keyed } from "../platform/idempotency/fixtures.ts";
import { HTTP } from "../tools/credentials/fixtures.ts";
import { rpc } from "./a2a-endpoints.ts";
import { sendRequest } from "./send-request.ts";
import { must, registerTenants, OWN_TENANT, ownTool, taskOf, blockWebhooks } from "./tenants.ts";

/** Secrets that users provide. Secrets that the service creates are added when it returns them. */
export const USER_SECRETS = {
  value: "the-api-key-of-a-tool",
  clientSecret: "the-client-secret-of-a-tool",
  refreshToken: "the-refresh-token-of-a-tool",
  apiKey: "the-api-key-of-a-model",
  cardKey: "the-api-key-of-another-agent",
  secret: `whsec_${btoa("a-secret-of-32-bytes-for-testing")}`,
  token: "the-token-of-a-receiver",
  credentials: "the-credentials-of-a-receiver",
};
export const secrets = new Map<string, string>(Object.entries(USER_SECRETS));
/** The resources that contain secrets. */
export const made = { keyId: "", hookId: "", toolIds: [""], taskId: "", lease: "", config: "cfg" };
export const AUTHORIZATION = `Bearer ${ROOT}`;
const { value, clientSecret, refreshToken, apiKey, secret, token, credentials } = USER_SECRETS;
const CLIENT = { tokenUrl: `${HTTP.baseUrl}/token`, clientId: "bosun", clientSecret };
export const CREDENTIALS: readonly JsonObject[] = [
  { type: "api-key", value },
  { type: "oauth-client-credentials", ...CLIENT },
  { type: "oauth-refresh-token", ...CLIENT, refreshToken },
  {
    type: "oauth-authorization-code",
    ...CLIENT,
    authorizationUrl: `${HTTP.baseUrl}/authorize`,
  },
];
export const MODEL = { type: "model", model: "m", baseUrl: `${HTTP.baseUrl}/v1`, apiKey };

/** Creates a resource for every kind of secret. */
export async function createSecrets(): Promise<void> {
  await registerTenants();
  const key = await keyed("a-key", "/agents/keys", { name: "k", scopes: [...SCOPES] });
  must(key);
  made.keyId = key.body.data.id;
  const hook = await keyed("a-hook", "/agents/webhooks", { url: `${HTTP.baseUrl}/hook`, secret });
  must(hook);
  made.hookId = hook.body.data.id;
  const rotated = await keyed("a-turn", `/agents/webhooks/${made.hookId}/secret`, {});
  must(rotated);
  await blockWebhooks(made.hookId);
  made.toolIds = [];
  for (const body of CREDENTIALS) {
    const id = await ownTool();
    must(await send("PUT", `/agents/tools/${id}/credentials`, body));
    made.toolIds.push(id);
  }
  must(await post("/agents", { id: "thinker", executor: MODEL }));
  const task = await taskOf(OWN_TENANT, "held");
  Object.assign(made, { taskId: task.id, lease: task.lease });
  const config = { taskId: task.id, id: made.config, url: "https://93.184.216.34/push", token };
  const push = { ...config, authentication: { scheme: "Bearer", credentials } };
  must(await sendRequest(rpc("CreateTaskPushNotificationConfig", push), AUTHORIZATION));
  for (const [what, one] of [
    ["key", key.body.data.key.split("_")[2]],
    ["second webhook secret", rotated.body.data.secret],
    ["ROOT_API_KEY", ROOT],
    ["SIGNING_KEY", env.SIGNING_KEY],
    ["CREDENTIALS_KEY", env.CREDENTIALS_KEY.split(":")[1]],
    ["CREDENTIALS_KEY, raw", atob(env.CREDENTIALS_KEY.split(":")[1] ?? "")],
    ["lease", task.lease],
  ] as const) {
    if (typeof one !== "string" || one.length < 14) throw new Error(`There is no ${what}`);
    secrets.set(what, one);
  }
}
