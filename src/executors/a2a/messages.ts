import type { Message, Part, Role } from "@a2a-js/sdk";
import { A2A_TEXT_CHARACTERS_MAX } from "./limits.ts";
import { sanitizeText } from "../../kernel/text.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { BlockAnswer, Task } from "../../tasks/model/task.ts";
import type { A2aCheckpoint } from "./checkpoint.ts";
import { A2A_MESSAGE_TARGETS, type A2aMessageReason } from "./state-mapping.ts";

/** ROLE_USER of the protocol's schema. */
const ROLE_USER: Role = 1;

/** What the agent must hear of next; null when it knows everything and is only to be followed. */
export function selectMessageReason(
  task: Task,
  checkpoint: A2aCheckpoint,
): A2aMessageReason | null {
  if (!checkpoint.isStarted) return "start";
  if (task.round > checkpoint.round) return "changes";
  return listUnsentAnswers(task, checkpoint).length > 0 ? "answer" : null;
}

/** What has been said when the message for the next cause has arrived. */
export function markMessageDelivered(
  task: Task,
  checkpoint: A2aCheckpoint,
  now: number,
): A2aCheckpoint {
  const { round, answers, reviewComments } = task;
  return {
    ...checkpoint,
    isStarted: true,
    answers: answers.length,
    round,
    comments: reviewComments.length,
    since: now,
    asked: null,
  };
}

/**
 * The message that tells an agent of `cause`. Its id is that of the attempt and the event that set the
 * agent to work: one that is sent again after a crash can be known by it.
 */
export function buildA2aMessage(
  reason: A2aMessageReason,
  ourTaskId: string,
  task: Task,
  checkpoint: A2aCheckpoint,
  takesData: boolean,
): Message {
  const target = A2A_MESSAGE_TARGETS[reason];
  const refersTo = target.task === "new" && target.context === "same" ? checkpoint.taskId : null;
  return {
    messageId: `${ourTaskId}-${task.attempt}-${task.workStartSeq}`,
    contextId: target.context === "same" ? (checkpoint.contextId ?? "") : "",
    taskId: target.task === "same" ? (checkpoint.taskId ?? "") : "",
    role: ROLE_USER,
    parts: buildParts(reason, task, checkpoint, takesData),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: refersTo === null ? [] : [refersTo],
  };
}

function buildParts(
  reason: A2aMessageReason,
  task: Task,
  checkpoint: A2aCheckpoint,
  takesData: boolean,
): Part[] {
  switch (reason) {
    case "start":
      return [
        createTextPart(formatRequest(task, checkpoint)),
        createDataPart(buildTaskData(task), takesData),
      ];
    case "answer":
      return listUnsentAnswers(task, checkpoint).map(({ response }) =>
        createResponsePart(response, takesData),
      );
    case "changes":
      return [
        createTextPart(formatChanges(task, checkpoint)),
        createDataPart(buildTaskData(task), takesData),
      ];
  }
}

function listUnsentAnswers({ answers }: Task, checkpoint: A2aCheckpoint): readonly BlockAnswer[] {
  return answers.filter(
    (_, place) => place >= checkpoint.answers && !checkpoint.own.includes(place),
  );
}

/** The task in words, with what people have said to it before there was a task elsewhere. */
function formatRequest(task: Task, checkpoint: A2aCheckpoint): string {
  const { deliverableTypes, reviewComments } = task;
  const paragraphs = [task.task];
  if (deliverableTypes.length > 0) {
    paragraphs.push(`Deliverables wanted: ${deliverableTypes.join(", ")}.`);
  }
  for (const { question, response } of listUnsentAnswers(task, checkpoint)) {
    if (response !== null)
      paragraphs.push(`Asked: ${question}\nAnswered: ${formatResponse(response)}`);
  }
  if (reviewComments.length > 0) {
    paragraphs.push(`The reviewer of earlier work says:\n\n${reviewComments.join("\n\n")}`);
  }
  return paragraphs.join("\n\n");
}

function formatChanges({ reviewComments }: Task, { comments }: A2aCheckpoint): string {
  const said = reviewComments.slice(comments);
  return said.length === 0
    ? "The reviewer asks for changes, without saying which."
    : `The reviewer asks for changes:\n\n${said.join("\n\n")}`;
}

function buildTaskData(task: Task): JsonObject {
  return {
    context: task.context,
    deliverables: [...task.deliverableTypes],
    priority: task.priority,
    deadline: task.deadline === null ? null : new Date(task.deadline).toISOString(),
    attempt: task.attempt,
  };
}

function createResponsePart(response: BlockAnswer["response"], takesData: boolean): Part {
  if (response === null) return createTextPart("Go on.");
  return typeof response === "string"
    ? createTextPart(response)
    : createDataPart(response, takesData);
}

function formatResponse(response: BlockAnswer["response"]): string {
  return typeof response === "string" ? response : JSON.stringify(response);
}

/** JSON as a part of its own, or written out for agents that read text alone. */
function createDataPart(value: Json, takesData: boolean): Part {
  if (!takesData) return createTextPart(JSON.stringify(value, null, 2));
  return createPart({ $case: "data", value }, "application/json");
}

function createTextPart(value: string): Part {
  return createPart({ $case: "text", value }, "text/plain");
}

function createPart(content: NonNullable<Part["content"]>, mediaType: string): Part {
  return { content, metadata: undefined, filename: "", mediaType };
}

/** The text in the parts of a message; of an artifact, whose parts are pieces of a stream, with "" between. */
export function joinTextParts(parts: readonly Part[], separator: "\n" | "" = "\n"): string {
  return parts
    .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
    .join(separator)
    .trim();
}

/** What an agent says to people: its text, with data and links written out; bounded, "" for nothing. */
export function formatMessageText(message: Message | null): string {
  const words = (message?.parts ?? []).flatMap(({ content }) => {
    switch (content?.$case) {
      case "text":
      case "url":
        return [content.value];
      case "data":
        return [JSON.stringify(content.value, null, 2) ?? ""];
      case "raw":
      case undefined:
        return [];
    }
  });
  return sanitizeText(words.join("\n"), A2A_TEXT_CHARACTERS_MAX);
}
