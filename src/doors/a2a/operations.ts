import * as z from "zod";
import type { Scope } from "../../domain/key.ts";
import { shown } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { jsonObject } from "../../http/body.ts";
import { validate } from "../../http/validate.ts";
import { extendedCard } from "./card.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import { listTasks } from "./list.ts";
import { createConfig, deleteConfig, getConfig, listConfigs } from "./push-config.ts";
import { cancelTask, getTask } from "./read.ts";
import { send, sendStreaming } from "./send.ts";
import { subscribe, type Frames } from "./stream.ts";
import {
  configParams,
  createConfigParams,
  historyLength,
  id,
  listParams,
  optional,
  sendParams,
} from "./wire.ts";

/** What an operation comes to: a message of the protocol, or a stream of them. */
export type Done =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "stream"; readonly frames: Frames };

/** One method of A2A 1.0: judges the key's scopes and the parameters, then does its work. */
type Operation = (door: Door, params: unknown) => Promise<Result<Done, Fault>>;

function operation<Schema extends z.ZodType>(
  scopes: readonly Scope[],
  schema: Schema,
  work: (door: Door, params: z.output<Schema>) => Promise<Result<Done, Fault>>,
): Operation {
  return async (door, params) => {
    const lacking = scopes.filter((scope) => !door.key.scopes.includes(scope));
    if (lacking.length > 0) {
      return fail(faultOfFailure({ kind: "insufficient_scope", scopes: lacking }));
    }
    const read = validate(schema, params);
    return read.ok ? work(door, read.value) : fail(invalidParams(read.failure));
  };
}

function value<Params>(work: (door: Door, params: Params) => Promise<Result<unknown, Fault>>) {
  return async (door: Door, params: Params): Promise<Result<Done, Fault>> => {
    const done = await work(door, params);
    return done.ok ? ok({ kind: "value", value: done.value }) : done;
  };
}

function stream<Params>(work: (door: Door, params: Params) => Promise<Result<Frames, Fault>>) {
  return async (door: Door, params: Params): Promise<Result<Done, Fault>> => {
    const begun = await work(door, params);
    return begun.ok ? ok({ kind: "stream", frames: begun.value }) : begun;
  };
}

const read: readonly Scope[] = ["tasks:read"];
const write: readonly Scope[] = ["tasks:write"];
/** What answers with a task, or has one told of, shows as much of it as reading does. */
const both: readonly Scope[] = [...read, ...write];
const aTask = z.object({ id });

/** The methods by the names that JSON-RPC has for them; REST maps its paths to these. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["SendMessage", operation(both, sendParams, value(send))],
  ["SendStreamingMessage", operation(both, sendParams, stream(sendStreaming))],
  ["GetTask", operation(read, aTask.extend({ historyLength }), value(getTask))],
  ["ListTasks", operation(read, listParams, value(listTasks))],
  [
    "CancelTask",
    operation(both, aTask.extend({ metadata: optional(jsonObject) }), value(cancelTask)),
  ],
  ["SubscribeToTask", operation(read, aTask, stream(subscribe))],
  ["CreateTaskPushNotificationConfig", operation(both, createConfigParams, value(createConfig))],
  ["GetTaskPushNotificationConfig", operation(read, configParams, value(getConfig))],
  [
    "ListTaskPushNotificationConfigs",
    operation(read, z.object({ taskId: id }), value(listConfigs)),
  ],
  ["DeleteTaskPushNotificationConfig", operation(write, configParams, value(deleteConfig))],
  ["GetExtendedAgentCard", operation(write, z.object({}), value(getExtendedCard))],
]);

export async function carryOut(
  door: Door,
  method: string,
  params: unknown,
): Promise<Result<Done, Fault>> {
  const chosen = OPERATIONS.get(method);
  if (chosen !== undefined) return chosen(door, params);
  const message = `There is no method ${shown(method)}; A2A 1.0 has ${[...OPERATIONS.keys()].join(", ")}.`;
  return fail(faultOf("method_not_found", message));
}

async function getExtendedCard(door: Door): Promise<Result<object, Fault>> {
  return ok(await extendedCard(door));
}
