import { StreamResponse } from "@a2a-js/sdk";
import { findActiveKey } from "../../keys/authenticate.ts";
import type { MessageWriter, WebhookMessage } from "../../events/webhooks/message-writer.ts";
import { formatA2aTaskId } from "./task-run.ts";
import { readA2aTaskViews } from "./tasks.ts";
import { parsePushSettings, type PushSettings } from "./push-settings.ts";
import { buildA2aTask, toA2aMetadata, toA2aStatus } from "./view.ts";
import { isTerminalState, a2aStateOf } from "./task-state.ts";
import { outcomeOf } from "../../tasks/model/task.ts";

/** A message writer that never fails. */
type PushMessageWriter = (
  ...given: Parameters<MessageWriter>
) => Promise<WebhookMessage | "end" | null>;

/**
 * A push notification (section 4.3.3): the whole task where work was handed over, else its new status.
 * It is made of the log up to the event, so that a delivery that comes late tells what was so then; and
 * for the key that asked for it, which may have lost sight of the task, or be no good any more.
 */
export const writePushMessage: PushMessageWriter = async (env, event, sealed) => {
  const settings = parsePushSettings(sealed);
  const key = settings === null ? null : await findActiveKey(env, settings.keyId);
  if (settings === null || key === null) return "end";
  const views = await readA2aTaskViews(env, key, event.taskId, event.seq);
  // Reading fails in one way: the task is gone, be it from the key's sight alone.
  if (!views.ok) return "end";
  const view = views.value.at(-1);
  // What was sealed is for one life, and not all events are news to A2A.
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
