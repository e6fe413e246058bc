import { StreamResponse } from "@a2a-js/sdk";
import { findActiveKey } from "../../keys/authenticate.ts";
import type { PushMessageWriter } from "../../events/webhooks/message.ts";
import { formatA2aTaskId } from "./task-run.ts";
import { readA2aTaskViews } from "./tasks.ts";
import { parsePushSettings, type PushSettings } from "./push-configs.ts";
import { buildA2aTask, toA2aMetadata, toA2aStatus } from "./view.ts";
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
  const views = await readA2aTaskViews(env, key, event.taskId, event.seq);
  // The task was deleted, or the key no longer sees it.
  if (!views.ok) return "end";
  const view = views.value.at(-1);
  // The configuration is for one run, and not every event is an update for A2A.
  if (view?.run !== settings.life) return null;
  if (view.lastUpdate.seq !== event.seq) return null;
  const ref = { taskId: event.taskId, run: view.run };
  const ids = { taskId: formatA2aTaskId(ref), contextId: ref.taskId };
  const metadata = toA2aMetadata(ref, view);
  const payload: StreamResponse["payload"] =
    outcomeOf(view.task) === null
      ? { $case: "statusUpdate", value: { ...ids, status: toA2aStatus(ref, view), metadata } }
      : { $case: "task", value: buildA2aTask({ env, origin: settings.origin }, ref, view, 0) };
  return {
    headers: buildPushHeaders(settings),
    body: JSON.stringify(StreamResponse.toJSON({ payload })),
    isLast: isTerminalState(a2aStateOf(view.task)),
  };
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
