import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { post } from "../support/client.ts";
import { BINDINGS, clientOf, faultOf, message, sent } from "./fixture.ts";

const count = (table: "directory" | "webhooks") =>
  env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n");

function config(taskId: string, url: string) {
  return { tenant: "", id: "", taskId, url, token: "", authentication: undefined };
}

describe.each(BINDINGS)("where push notifications do not go, over %s", (binding) => {
  it.each([
    "http://127.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest",
    "ftp://93.184.216.34/",
    "nonsense",
  ])("%s", async (url) => {
    await post("/agents", { id: "idle", executor: { type: "worker" } });
    const client = await clientOf(binding);
    const of = message("Wait", { bosun: { agentId: "idle" } });
    const { id } = await sent(client, of, { returnImmediately: true });
    expect(await faultOf(client.createTaskPushNotificationConfig(config(id, url)))).toEqual({
      name: "RequestMalformedError",
      message: expect.stringMatching(/^url (?:must|leads to)/),
    });
    const before = await count("directory");
    const taskPushNotificationConfig = config("", url);
    const work = sent(client, message("Wait"), { taskPushNotificationConfig });
    expect((await faultOf(work)).message).toContain("taskPushNotificationConfig.url");
    // Neither a task nor a configuration was made of it.
    expect([await count("directory"), await count("webhooks")]).toEqual([before, 0]);
  });
});
