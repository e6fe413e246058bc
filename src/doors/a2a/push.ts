import { StreamResponse } from "@a2a-js/sdk";
import { keyOfId } from "../../keys/authenticate.ts";
import type { MessageWriter } from "../../webhooks/contract.ts";
import { idOf } from "./ids.ts";
import { readLives } from "./log.ts";
import { pushSettings, type PushSettings } from "./push-settings.ts";
import { shown } from "./show.ts";
import { isOver, stateOf } from "./states.ts";
import { metadataOf, statusOf } from "./view.ts";

/**
 * A push notification (section 4.3.3): the whole task where work was handed over, else its new status.
 * It is made of the log up to the event, so that a delivery that comes late tells what was so then; and
 * for the key that asked for it, which may have lost sight of the task, or be no good any more.
 */
export const pushMessage: MessageWriter = async (env, event, sealed) => {
  const settings = pushSettings(sealed);
  const key = settings === null ? null : await keyOfId(env, settings.keyId);
  if (settings === null || key === null) return "end";
  const lives = await readLives(env, key, event.taskId, event.seq);
  // Reading fails in one way: the task is gone, be it from the key's sight alone.
  if (!lives.ok) return "end";
  const life = lives.value.at(-1);
  // What was sealed is for one life, and not all events are news to A2A.
  if (life?.number !== settings.life) return null;
  if (life.note.seq !== event.seq) return null;
  const address = { taskId: event.taskId, life: life.number };
  const ids = { taskId: idOf(address), contextId: address.taskId };
  const metadata = metadataOf(address, life);
  const payload: StreamResponse["payload"] =
    life.task.outcome === null
      ? {
          $case: "statusUpdate",
          value: { ...ids, status: statusOf(address, life), metadata },
        }
      : {
          $case: "task",
          value: await shown({ env, origin: settings.origin }, address, life, 0),
        };
  return {
    headers: headersOf(settings),
    body: JSON.stringify(StreamResponse.toJSON({ payload })),
    isLast: isOver(stateOf(life.task)),
  };
};

function headersOf({ token, authentication }: PushSettings): Record<string, string> {
  return {
    "Content-Type": "application/a2a+json",
    "User-Agent": "Bosun-A2A/1",
    ...(token === null ? {} : { "X-A2A-Notification-Token": token }),
    ...(authentication === null
      ? {}
      : { Authorization: `${authentication.scheme} ${authentication.credentials}`.trim() }),
  };
}
