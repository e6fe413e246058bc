import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { BINDINGS, errorNameOf, idle, message, pushConfig, sent } from "./fixtures.ts";

const count = (table: "directory" | "webhooks") =>
  env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n");

describe.each(BINDINGS)("an invalid URL for push notifications over %s", (binding) => {
  it.each([
    "http://127.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest",
    "ftp://93.184.216.34/",
    "nonsense",
  ])(
    "push notifications to %s are rejected, and no task or configuration is created",
    async (url) => {
      const { client, taskId } = await idle(binding);
      const made = client.createTaskPushNotificationConfig(pushConfig(taskId, url));
      expect(await errorNameOf(made)).toEqual({
        name: "RequestMalformedError",
        message: expect.stringMatching(/^url (?:must|points to)/),
      });
      const before = await count("directory");
      const taskPushNotificationConfig = pushConfig("", url);
      const work = sent(client, message("Wait"), { taskPushNotificationConfig });
      expect((await errorNameOf(work)).message).toContain("taskPushNotificationConfig.url");
      // Neither a task nor a configuration was created.
      expect([await count("directory"), await count("webhooks")]).toEqual([before, 0]);
    },
  );
});
