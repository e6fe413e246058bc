import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { get, post } from "../../../support/client.ts";
import { keyWith } from "../../../support/keys.ts";
import { Receiver } from "../../events/webhooks/fixtures.ts";
import {
  BINDINGS,
  clientOf,
  errorNameOf,
  message,
  sent,
  type BindingName,
} from "../../../interfaces/a2a/fixtures.ts";

const URL_ = new Receiver().url;
const TOKEN = "token-that-nobody-reads-again";
const CREDENTIALS = "credentials-that-nobody-reads-again";

/** Creates a client and a task whose state does not change. */
async function idle(binding: BindingName) {
  await post("/agents", { id: "idle", executor: { type: "worker" } });
  const client = await clientOf(binding);
  const of = message("Wait", { bosun: { agentId: "idle" } });
  const { id: taskId } = await sent(client, of, { returnImmediately: true });
  return { client, taskId };
}

function config(taskId: string, change: { id?: string; url?: string } = {}) {
  const authentication = { scheme: "Bearer", credentials: CREDENTIALS };
  return { tenant: "", id: "", taskId, url: URL_, token: TOKEN, authentication, ...change };
}

describe.each(BINDINGS)("push notification configurations over %s", (binding) => {
  it("push configurations are created, read, listed and deleted, and their secrets are never returned", async () => {
    const { client, taskId } = await idle(binding);
    const named = await client.createTaskPushNotificationConfig(config(taskId, { id: "mine" }));
    const shown = { id: "mine", taskId, url: URL_, token: "", tenant: "" };
    const authentication = { scheme: "Bearer", credentials: "" };
    expect(named).toEqual({ ...shown, authentication });
    const other = await client.createTaskPushNotificationConfig(config(taskId));
    expect(other.id).toMatch(/^push-/);
    const ofTask = { tenant: "", taskId, pageSize: 0, pageToken: "" };
    const listed = await client.listTaskPushNotificationConfig(ofTask);
    expect(listed).toEqual({ configs: [named, other], nextPageToken: "" });
    const ofConfig = { tenant: "", taskId, id: "mine" };
    expect(await client.getTaskPushNotificationConfig(ofConfig)).toEqual(named);
    await client.deleteTaskPushNotificationConfig(ofConfig);
    expect((await errorNameOf(client.getTaskPushNotificationConfig(ofConfig))).name).toBe(
      "TaskNotFoundError",
    );
    // Deleting the configuration again changes nothing.
    await client.deleteTaskPushNotificationConfig(ofConfig);
    expect((await client.listTaskPushNotificationConfig(ofTask)).configs).toEqual([other]);
    const rows = await env.DB.prepare("SELECT * FROM webhooks").all();
    expect(JSON.stringify(rows)).not.toMatch(/nobody-reads-again/);
    // Configurations belong to the task, so they are not listed as webhooks.
    expect((await get("/agents/webhooks")).body.data.webhooks).toEqual([]);
  });

  it("a push configuration replaces another with the same id", async () => {
    const { client, taskId } = await idle(binding);
    const ofTask = { tenant: "", taskId, pageSize: 0, pageToken: "" };
    for (const url of [URL_, URL_, `${URL_}/other`]) {
      await client.createTaskPushNotificationConfig(config(taskId, { id: "mine", url }));
      const { configs } = await client.listTaskPushNotificationConfig(ofTask);
      expect(configs).toMatchObject([{ id: "mine", url }]);
    }
  });

  it("a task has at most ten push configurations", async () => {
    const { client, taskId } = await idle(binding);
    for (let count = 0; count < 10; count += 1) {
      await client.createTaskPushNotificationConfig(config(taskId, { url: `${URL_}/${count}` }));
    }
    const error = await errorNameOf(client.createTaskPushNotificationConfig(config(taskId)));
    expect(error.message).toContain("at most 10");
    // Each of the ten can still be replaced.
    const again = config(taskId, { url: `${URL_}/3` });
    expect(await client.createTaskPushNotificationConfig(again)).toMatchObject({
      url: `${URL_}/3`,
    });
  });

  it("the same push configuration without an id is stored once, however many messages contain it", async () => {
    const { client, taskId } = await idle(binding);
    const of = message("Wait", { bosun: { agentId: "idle" } });
    const taskPushNotificationConfig = config("");
    const options = { returnImmediately: true, taskPushNotificationConfig };
    const ids: string[] = [];
    for (let count = 0; count < 11; count += 1) ids.push((await sent(client, of, options)).id);
    expect(new Set(ids).size).toBe(1);
    const ofTask = { tenant: "", taskId: ids[0] ?? taskId, pageSize: 0, pageToken: "" };
    expect((await client.listTaskPushNotificationConfig(ofTask)).configs).toHaveLength(1);
    // Different secrets create another configuration.
    const other = { ...config(ids[0] ?? taskId), token: "another" };
    await client.createTaskPushNotificationConfig(other);
    expect((await client.listTaskPushNotificationConfig(ofTask)).configs).toHaveLength(2);
  });

  it("if push configurations with the same id are created concurrently, one of them remains", async () => {
    const { client, taskId } = await idle(binding);
    const urls = Array.from({ length: 6 }, (_, place) => `${URL_}/${place}`);
    await Promise.all(
      urls.map((url) => client.createTaskPushNotificationConfig(config(taskId, { id: "m", url }))),
    );
    const ofTask = { tenant: "", taskId, pageSize: 0, pageToken: "" };
    const { configs } = await client.listTaskPushNotificationConfig(ofTask);
    expect(configs).toHaveLength(1);
    expect(urls).toContain(configs[0]?.url);
  });

  it("push configurations are hidden from a client that cannot see the task", async () => {
    const { client, taskId } = await idle(binding);
    await client.createTaskPushNotificationConfig(config(taskId, { id: "mine" }));
    const key = await keyWith(["tasks:read", "tasks:write"], { agentId: "researcher" });
    const stranger = await clientOf(binding, key);
    const ofConfig = { tenant: "", taskId, id: "mine" };
    for (const work of [
      () => stranger.getTaskPushNotificationConfig(ofConfig),
      () => stranger.deleteTaskPushNotificationConfig(ofConfig),
      () => stranger.listTaskPushNotificationConfig({ ...ofConfig, pageSize: 0, pageToken: "" }),
      () => stranger.createTaskPushNotificationConfig(config(taskId)),
    ]) {
      expect(await errorNameOf(work())).toEqual({
        name: "TaskNotFoundError",
        message: `There is no task "${taskId}".`,
      });
    }
    expect(await client.getTaskPushNotificationConfig(ofConfig)).toMatchObject({ id: "mine" });
  });
});
