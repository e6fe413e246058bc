import type { Database } from "../../../src/platform/d1/client.ts";
import type * as real from "../../../src/events/webhooks/webhooks.store.ts";
import { d1Behind } from "../d1.ts";

export const findWebhook: typeof real.findWebhook = (db: Database, id) =>
  d1Behind(db).call("read", ({ webhooks }) => webhooks.get(id) ?? null);

export const listEnabledWebhooks: typeof real.listEnabledWebhooks = (db: Database) =>
  d1Behind(db).call("read", (tables) =>
    tables.enabledWebhooks().filter(({ taskId }) => taskId === null),
  );

export const listEnabledTaskWebhooks: typeof real.listEnabledTaskWebhooks = (
  db: Database,
  taskIds,
) =>
  d1Behind(db).call("read", (tables) =>
    tables.enabledWebhooks().filter(({ taskId }) => taskId !== null && taskIds.includes(taskId)),
  );

/** Does nothing, because no simulated receiver fails often enough to disable its webhook. */
export const disableWebhook: typeof real.disableWebhook = () => Promise.resolve(false);

export const deleteWebhook: typeof real.deleteWebhook = () => Promise.resolve(false);

export const deleteEndedPushConfigs: typeof real.deleteEndedPushConfigs = (db: Database, taskId) =>
  d1Behind(db).call("delete", ({ webhooks }) => {
    for (const webhook of webhooks.values()) {
      if (webhook.taskId === taskId && !webhook.enabled) webhooks.delete(webhook.id);
    }
  });
