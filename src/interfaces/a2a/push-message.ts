import { StreamResponse } from "@a2a-js/sdk";
import { findActiveKey } from "../../keys/authenticate.ts";
import type { PushMessageWriter } from "../../events/webhooks/message.ts";
import { readA2aTaskViews } from "./tasks.ts";
import { parsePushSettings, type PushSettings } from "./push-configs.ts";
import { buildA2aTask, toStatusUpdate } from "./view.ts";
import { isTerminalState, a2aStateOf } from "./task-state.ts";
import { outcomeOf } from "../../tasks/model/task.ts";

/**
 * A push notification (section 4.3.3): the whole task if work was delivered, otherwise its new status. It shows the
 * log up to the event as the configuration's key sees it; that key may have ended.
 */
export const writePushMessage: PushMessageWriter = async (env, event, sealed) => {
  const settings = parsePushSettings(sealed);
  const key = settings === null ? null : await findActiveKey(env, settings.keyId);
  if (settings === null || key === null) return "end";
  const views = await readA2aTaskViews({ env, key }, event.taskId, event.seq);
  // The task was deleted, or the key no longer sees it.
  if (!views.ok) return "end";
  const view = views.value.at(-1);
  // The configuration is for one run, and not every event is an update for A2A.
  if (view?.run !== settings.life) return null;
  if (view.lastUpdate.seq !== event.seq) return null;
  const task = buildA2aTask({ env, origin: settings.origin }, view, 0);
  const isDelivery = outcomeOf(view.task) !== null;
  const response: StreamResponse = isDelivery
    ? { payload: { $case: "task", value: task } }
    : toStatusUpdate(view);
  const headers = buildPushHeaders(settings);
  const isLast = isTerminalState(a2aStateOf(view.task));
  if (settings.version !== "0.3")
    return { headers, body: JSON.stringify(StreamResponse.toJSON(response)), isLast };
  // A client of A2A 0.3 gets the whole task each time.
  const { V03PushNotificationSerializer } = await import("@a2a-js/sdk/compat/v0_3/server");
  const { body, contentType } = new V03PushNotificationSerializer().serialize(response, task);
  return { headers: { ...headers, "Content-Type": contentType }, body, isLast };
};

function buildPushHeaders({ token, authentication }: PushSettings): Record<string, string> {
  return {
    "Content-Type": "application/a2a+json",
    "User-Agent": "Bosun-A2A/1",
    ...(token === null ? {} : { "X-A2A-Notification-Token": token }),
    ...(authentication === null
      ? {}
      : { Authorization: `${authentication.scheme} ${authentication.credentials}`.trim() }),
  };
}
