import type * as z from "zod";
import type { Failure } from "../../domain/failure.ts";
import type { JsonObject } from "../../domain/json.ts";
import { TASK_CHARACTERS_MAX } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { splitTask } from "../../domain/task-input/split.ts";
import { validate } from "../../http/validate.ts";
import { createTask } from "../../tasks/create.ts";
import { newTask } from "../../tasks/port.ts";
import { repeatableTaskBody } from "../../tasks/wire.ts";
import type { Door } from "./door.ts";
import { faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import type { Address } from "./ids.ts";
import { reused } from "./once.ts";
import { problemOfParts, saidIn } from "./said.ts";
import type { WireMessage } from "./wire.ts";

const SETTINGS = "message.metadata.bosun";

/** What `metadata.bosun` may say of a new task. */
const settings = repeatableTaskBody.pick({
  agentId: true,
  teamId: true,
  priority: true,
  deadline: true,
  deliverables: true,
  budget: true,
});

/** Makes a task of a message, or finds the one that the same message made before. */
export async function begin(
  { env, key }: Door,
  message: WireMessage,
  bosun: JsonObject,
): Promise<Result<Address, Fault>> {
  const said = saidIn(message.parts);
  if (!said.ok) return said;
  const given = settingsIn(settings, bosun);
  if (!given.ok) return given;
  const { words, context } = said.value;
  if (words === "") {
    const rule = "must hold a text that says what is to be done";
    return fail(invalidParams([{ path: "message.parts", message: rule }]));
  }
  const divided = divide(words, context);
  if (!divided.ok) return divided;
  const { task, context: whole } = divided.value;
  const body = { ...given.value, task, context: whole };
  const created = await createTask(env, key, body, idempotencyKeyOf(message.messageId));
  return created.ok ? ok({ taskId: created.value.id, life: 1 }) : fail(refused(created.failure));
}

function idempotencyKeyOf(messageId: string): string {
  return `a2a:${messageId}`;
}

/** The address of the task that a message creates, whether or not the task exists. */
export function newTaskOf({ env, key }: Door, messageId: string): Address {
  const idempotency = { keyId: key.id, key: idempotencyKeyOf(messageId) };
  return { taskId: newTask(env.TASKS, idempotency).id, life: 1 };
}

/** `metadata.bosun` by a schema, each problem under its path there. */
export function settingsIn<Schema extends z.ZodType>(
  schema: Schema,
  bosun: JsonObject,
): Result<z.output<Schema>, Fault> {
  const read = validate(schema, bosun);
  if (read.ok) return read;
  const problems = read.failure.map(({ path, message }) => ({
    path: path === "body" ? SETTINGS : `${SETTINGS}.${path}`,
    message,
  }));
  return fail(invalidParams(problems));
}

/**
 * Uses the words as the task's description. If they are too long, their input goes into the context; if no
 * input is recognised, all words go there, so that the agent also reads the beginning.
 */
function divide(
  words: string,
  context: JsonObject,
): Result<{ task: string; context: JsonObject }, Fault> {
  if (words.length <= TASK_CHARACTERS_MAX) return ok({ task: words, context });
  const { instruction, input } = splitTask(words);
  const isShort = instruction !== "" && instruction.length <= TASK_CHARACTERS_MAX;
  if (isShort && input !== null && !Object.hasOwn(context, input.kind)) {
    return ok({ task: instruction, context: { ...context, [input.kind]: input.value } });
  }
  const task = beginningOf(words);
  const whole = joined(words, context);
  return whole.ok ? ok({ task, context: whole.value }) : whole;
}

/** The context with the words before its text. */
function joined(words: string, context: JsonObject): Result<JsonObject, Fault> {
  const { text = "" } = context;
  if (typeof text === "string") {
    return ok({ ...context, text: text === "" ? words : `${words}\n\n${text}` });
  }
  const message = `contain a "text" that is not a string, and more than ${TASK_CHARACTERS_MAX} characters of message text, which would be added to it; send only one of them`;
  return fail(invalidParams([{ path: "message.parts", message }]));
}

/** As much of a long message as a task's description holds, up to a gap between words. */
function beginningOf(words: string): string {
  const head = words.slice(0, TASK_CHARACTERS_MAX);
  const gap = head.search(/\s\S*$/);
  // A character of two units goes as a whole.
  return (gap > 0 ? head.slice(0, gap) : head).replace(/[\ud800-\udbff]$/, "");
}

/** A failure in the terms of the message: what names nobody is a problem of the settings. */
function refused(failure: Failure): Fault {
  const fault = faultOfFailure(failure);
  switch (failure.kind) {
    case "idempotency_key_reused":
      return reused();
    case "validation":
      return invalidParams(
        failure.problems.map((problem) =>
          // What is read lies in the parts, and all else that is judged in the settings.
          /^context\b/.test(problem.path)
            ? problemOfParts(problem)
            : { ...problem, path: `${SETTINGS}.${problem.path}` },
        ),
      );
    case "not_found":
      return {
        ...fault,
        problems: [{ path: `${SETTINGS}.${failure.what}Id`, message: fault.message }],
      };
    default:
      return fault;
  }
}
