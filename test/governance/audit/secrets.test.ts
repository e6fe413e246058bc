import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { patch, post, send } from "../../support/client.ts";
import { HTTP, SHIPS } from "../../tools/credentials/fixtures.ts";
import { newestRows } from "./fixtures.ts";

const SECRETS = {
  apiKey: "api-key-4711-of-the-harbour",
  header: "header-value-4712-of-the-tool",
  query: "query-value-4713-of-the-tool",
  path: "T0000/B0000/link-4714-of-the-chat",
  webhook: `whsec_${btoa("a-secret-of-32-bytes-for-4715-xx")}`,
  webhookHeader: "webhook-header-4716",
  model: "model-key-4717-of-the-agent",
};

it("the audit log contains no secret of a tool, credential, webhook, agent, key or session", async () => {
  const connector = { ...HTTP, headers: { "X-Tenant": SECRETS.header } };
  const tool = { ...SHIPS, id: "secretive", name: "Secretive", connector };
  const documentation = `https://docs.example/page?token=${SECRETS.query}`;
  const made = [
    await post("/agents/tools", { ...tool, documentation }),
    await patch("/agents/tools/secretive", { description: "Changed." }),
    await send("PUT", "/agents/tools/secretive/credentials", {
      type: "api-key",
      in: "header",
      name: "X-Key",
      value: SECRETS.apiKey,
    }),
    await post("/agents/webhooks", {
      url: `${HTTP.baseUrl}/${SECRETS.path}`,
      secret: SECRETS.webhook,
      headers: { "X-Token": SECRETS.webhookHeader },
    }),
    await post("/agents", {
      id: "secretive",
      executor: {
        type: "model",
        provider: "openai-compatible",
        baseUrl: HTTP.baseUrl,
        model: "m-1",
        apiKey: SECRETS.model,
      },
    }),
    await post("/agents/keys", { name: "secretive", scopes: ["tasks:read"] }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 200, 201, 201, 201, 201]);
  const key: string = made[5]?.body.data.key;
  const session = await post("/agents/sessions", { apiKey: key }, { key: null });
  const cookie = /=([\w-]{43});/.exec(session.headers.get("Set-Cookie") ?? "")?.[1] ?? "none";

  const stored = JSON.stringify((await env.DB.prepare("SELECT * FROM audit").all()).results);
  const secrets = { ...SECRETS, key: key.split("_")[2] ?? "", cookie };
  for (const [name, secret] of Object.entries(secrets)) expect(stored, name).not.toContain(secret);
  const actions = (await newestRows()).map(({ action }) => action);
  expect(actions.slice(0, 7).toReversed()).toEqual([
    "tool.created",
    "tool.changed",
    "credentials.set",
    "webhook.created",
    "agent.created",
    "key.created",
    "session.created",
  ]);
});
