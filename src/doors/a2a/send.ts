import { Task } from "@a2a-js/sdk";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { holdOpen } from "../../keys/key-limits.ts";
import { answer, retry } from "./answer.ts";
import { begin, newTaskOf } from "./begin.ts";
import type { Door } from "./door.ts";
import { faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import { settled } from "./follow.ts";
import { addressOf, idOf, type Address } from "./ids.ts";
import { findTask, readLives, type Found } from "./log.ts";
import { once } from "./once.ts";
import { checkPush, checkPushLimit, openPush } from "./push-config.ts";
import { shown } from "./show.ts";
import { endsStream, stateOf } from "./states.ts";
import { framesOf, type Frames } from "./stream.ts";
import type { SendParams } from "./wire.ts";

/** Takes a message in and answers with its task: at once, or as soon as it has ended or asks for something. */
export async function send(door: Door, params: SendParams): Promise<Result<object, Fault>> {
  const { returnImmediately = false, historyLength = null } = params.configuration ?? {};
  // Check before writing anything, so that a rejected message has no effect.
  const held = returnImmediately ? ok(null) : holdOpen(door.key, door.signal);
  if (!held.ok) return fail(faultOfFailure(held.failure));
  const found = await taken(door, params);
  if (!found.ok) return found;
  const life = returnImmediately ? found.value.life : await settled(door, found.value);
  const task = await shown(door, found.value.address, life, historyLength);
  return ok({ task: Task.toJSON(task) });
}

/** The same as a stream: the task as it stands, and what becomes of it. */
export async function sendStreaming(
  door: Door,
  params: SendParams,
): Promise<Result<Frames, Fault>> {
  const held = holdOpen(door.key, door.signal);
  if (!held.ok) return fail(faultOfFailure(held.failure));
  const found = await taken(door, params);
  if (!found.ok) return found;
  const { life } = found.value;
  // A message that came before may have led to a question already: that is its end.
  const whole = endsStream(stateOf(life.task)) ? { ...found.value, isLast: false } : found.value;
  return ok(framesOf(door, whole, params.configuration?.historyLength ?? null));
}

/** The task that a message has made, or was for, once what it asks for is written down. */
async function taken(door: Door, params: SendParams): Promise<Result<Found, Fault>> {
  const config = params.configuration?.taskPushNotificationConfig;
  const path = "configuration.taskPushNotificationConfig.";
  const checked = config === undefined ? ok(null) : await checkPush(door, config, path);
  if (!checked.ok) return checked;
  const { message } = params;
  const counted =
    config === undefined
      ? ok(null)
      : await checkPushLimit(door, config, () => knownAddress(door, message));
  if (!counted.ok) return counted;
  const bosun = settingsOf(params);
  const address = bosun.ok ? await addressed(door, message, bosun.value) : bosun;
  if (!address.ok) return address;
  const opened = config === undefined ? ok(null) : await openPush(door, address.value, config);
  return opened.ok ? findTask(door, idOf(address.value)) : opened;
}

/** The task to which a message belongs if it was sent before; null if it starts a new life. */
async function knownAddress(
  door: Door,
  { messageId, taskId = "", contextId = "" }: SendParams["message"],
): Promise<Address | null> {
  if (taskId !== "") return addressOf(taskId);
  if (contextId === "") return newTaskOf(door, messageId);
  const lives = await readLives(door.env, door.key, contextId);
  const last = lives.ok ? lives.value.at(-1) : undefined;
  if (last === undefined || last.task.status === "failed") return null;
  return { taskId: contextId, life: last.number };
}

function addressed(
  door: Door,
  message: SendParams["message"],
  bosun: JsonObject,
): Promise<Result<Address, Fault>> {
  const { taskId = "", contextId = "" } = message;
  // The id of a new task is made of the message's, which holds for as long as the task does.
  if (taskId === "" && contextId === "") return begin(door, message, bosun);
  const work = taskId === "" ? retry : answer;
  return once(door, message, bosun, () => work(door, message, bosun));
}

/** What is said to Bosun alone, with the message or with the request. */
function settingsOf({ message, metadata }: SendParams): Result<JsonObject, Fault> {
  const given = message.metadata?.["bosun"] ?? metadata?.["bosun"] ?? {};
  if (isJsonObject(given)) return ok(given);
  return fail(invalidParams([{ path: "message.metadata.bosun", message: "must be an object" }]));
}
