import * as z from "zod";
import type { JsonObject } from "../../domain/json.ts";
import { NOTES_CHARACTERS_MAX, REMARK_CHARACTERS_MAX } from "../../domain/limits.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { REVIEW_DECISIONS } from "../../domain/task.ts";
import { taskOf, type ClientCommand } from "../../tasks/port.ts";
import { retryCommand } from "../../tasks/retry.ts";
import { settingsIn } from "./begin.ts";
import type { Deed } from "./deed.ts";
import type { Door } from "./door.ts";
import { faultOf, faultOfFailure, invalidParams, type Fault } from "./faults.ts";
import { findTask, readLives, type Found } from "./log.ts";
import { saidIn, type Said } from "./said.ts";
import { isOver, stateOf } from "./states.ts";
import type { WireMessage } from "./wire.ts";

const answerSettings = z.strictObject({ decision: z.enum(REVIEW_DECISIONS).optional() });
const retrySettings = z.strictObject({ reassign: z.boolean().default(false) });

/** What a message asks of the task that it names: an answer to its question, or a word of the reviewer's. */
export async function answer(
  door: Door,
  message: WireMessage,
  bosun: JsonObject,
): Promise<Result<Deed, Fault>> {
  const found = await findTask(door, message.taskId ?? "");
  if (!found.ok) return found;
  const { address, life } = found.value;
  if ((message.contextId ?? address.taskId) !== address.taskId) {
    const rule = `must be that of the task, ${address.taskId}, or be left out`;
    return fail(invalidParams([{ path: "message.contextId", message: rule }]));
  }
  const command = commandFor(found.value, message, bosun);
  if (!command.ok) return command;
  const port = taskOf(door.env.TASKS, address.taskId);
  if (!port.ok) return fail(faultOfFailure(port.failure));
  return ok({ port: port.value, command: command.value, seq: life.task.seq, address });
}

function commandFor(
  { life, isLast }: Found,
  message: WireMessage,
  bosun: JsonObject,
): Result<ClientCommand, Fault> {
  const { status } = life.task;
  if (!isLast || isOver(stateOf(life.task))) {
    const hint =
      status === "failed"
        ? "to have it tried again, send a message with its contextId alone"
        : "send a message without taskId and contextId for a new one";
    return unsupported(`A task that is ${status} takes no more messages; ${hint}.`);
  }
  const said = saidIn(message.parts);
  if (!said.ok) return said;
  const given = settingsIn(answerSettings, bosun);
  if (!given.ok) return given;
  if (status === "blocked") return responding(said.value);
  if (status === "review") return reviewing(said.value, given.value.decision ?? "request_changes");
  return unsupported(
    `A task that is ${status} takes messages once it asks for something; until then it can be cancelled.`,
  );
}

function responding({ words, context }: Said): Result<ClientCommand, Fault> {
  const isText = Object.keys(context).length === 0 && words.length <= REMARK_CHARACTERS_MAX;
  if (isText && words === "") return wordless();
  const response = isText ? words : { ...(words === "" ? {} : { answer: words }), ...context };
  return ok({ type: "respond", response });
}

function reviewing(
  { words }: Said,
  decision: (typeof REVIEW_DECISIONS)[number],
): Result<ClientCommand, Fault> {
  if (words === "" && decision === "request_changes") return wordless();
  if (words.length > REMARK_CHARACTERS_MAX) return tooLong(words, REMARK_CHARACTERS_MAX);
  return ok({ type: "review", decision, comment: words === "" ? null : words });
}

/** A failed task tried again, with what the message says as a note and what it brings in the context. */
export async function retry(
  door: Door,
  message: WireMessage,
  bosun: JsonObject,
): Promise<Result<Deed, Fault>> {
  const found = await lastOf(door, message.contextId ?? "");
  if (!found.ok) return found;
  const { address, life } = found.value;
  if (life.task.status !== "failed") {
    return unsupported(
      `The last task of this context is ${life.task.status}, and one that has failed can be tried again; name a task that asks for something by its taskId, and send a message without contextId for a new one.`,
    );
  }
  const said = saidIn(message.parts);
  if (!said.ok) return said;
  const given = settingsIn(retrySettings, bosun);
  if (!given.ok) return given;
  const { words: notes, context } = said.value;
  if (notes.length > NOTES_CHARACTERS_MAX) return tooLong(notes, NOTES_CHARACTERS_MAX);
  const port = taskOf(door.env.TASKS, address.taskId);
  if (!port.ok) return fail(faultOfFailure(port.failure));
  const command = await retryCommand(door.env, port.value, door.key, {
    ...given.value,
    context: Object.keys(context).length === 0 ? null : context,
    ...(notes === "" ? {} : { notes }),
  });
  if (!command.ok) return fail(faultOfFailure(command.failure));
  return ok({
    port: port.value,
    command: command.value,
    seq: life.task.seq,
    address: { ...address, life: address.life + 1 },
  });
}

async function lastOf(door: Door, contextId: string): Promise<Result<Found, Fault>> {
  const lives = await readLives(door.env, door.key, contextId);
  const life = lives.ok ? lives.value.at(-1) : undefined;
  if (life !== undefined) {
    return ok({ address: { taskId: contextId, life: life.number }, life, isLast: true });
  }
  if (!lives.ok && lives.failure.kind !== "not_found") return fail(faultOfFailure(lives.failure));
  const rule = "must be the contextId of a task of this service, or be left out for a new one";
  return fail(invalidParams([{ path: "message.contextId", message: rule }]));
}

function unsupported(message: string): Result<never, Fault> {
  return fail(faultOf("unsupported_operation", message));
}

function wordless(): Result<never, Fault> {
  const message = "must hold a text, or something to read";
  return fail(invalidParams([{ path: "message.parts", message }]));
}

function tooLong(words: string, charactersMax: number): Result<never, Fault> {
  const message = `must hold at most ${charactersMax} characters of text here, got ${words.length}`;
  return fail(invalidParams([{ path: "message.parts", message }]));
}
