import { Message, type Part } from "@a2a-js/sdk";
import { A2A_TEXT_CHARACTERS_MAX } from "./limits.ts";
import { sanitizeText } from "../../kernel/text.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isAgentCostQuestion } from "../../tasks/model/agent-cost.ts";
import { type BlockAnswer, type Task, workStartSeqOf } from "../../tasks/model/task.ts";
import type { A2aCheckpoint } from "./checkpoint.ts";

/**
 * Why a message is sent to the agent. Only an answer continues the remote task. An ended task never restarts, so
 * requested changes create a new task in the same context. Each attempt starts a new context, because the old one may
 * have caused the failure.
 */
export type A2aMessageReason = "start" | "answer" | "changes";

/** Why the agent needs a message; null if its task only needs to be followed. */
export function selectMessageReason(
  task: Task,
  checkpoint: A2aCheckpoint,
): A2aMessageReason | null {
  if (!checkpoint.isStarted) return "start";
  if (task.round > checkpoint.round) return "changes";
  return listUnsentAnswers(task, checkpoint).length > 0 ? "answer" : null;
}

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
 * Builds the message for `reason`. If the message is sent again after a crash, it has the same id, so the agent can
 * recognise it.
 */
export function buildA2aMessage(
  reason: A2aMessageReason,
  ourTaskId: string,
  task: Task,
  checkpoint: A2aCheckpoint,
  takesData: boolean,
): Message {
  const taskId = checkpoint.taskId ?? "";
  return Message.fromJSON({
    messageId: `${ourTaskId}-${task.attempt}-${workStartSeqOf(task)}`,
    contextId: reason === "start" ? "" : (checkpoint.contextId ?? ""),
    taskId: reason === "answer" ? taskId : "",
    role: "ROLE_USER",
    parts: buildParts(reason, task, checkpoint, takesData),
    referenceTaskIds: reason === "changes" && taskId !== "" ? [taskId] : [],
  });
}

function buildParts(
  reason: A2aMessageReason,
  task: Task,
  checkpoint: A2aCheckpoint,
  takesData: boolean,
): JsonObject[] {
  if (reason === "answer") {
    return listUnsentAnswers(task, checkpoint).map(({ response }) =>
      createResponsePart(response, takesData),
    );
  }
  const format = reason === "start" ? formatRequest : formatChanges;
  return [createTextPart(format(task, checkpoint)), createDataPart(buildTaskData(task), takesData)];
}

function listUnsentAnswers({ answers }: Task, checkpoint: A2aCheckpoint): readonly BlockAnswer[] {
  return answers.filter(
    ({ question }, index) =>
      index >= checkpoint.answers &&
      !checkpoint.own.includes(index) &&
      !isAgentCostQuestion(question),
  );
}

/** The task as text, with the answers and review comments from before the remote task was created. */
function formatRequest(task: Task, checkpoint: A2aCheckpoint): string {
  const { deliverableTypes, reviewComments } = task;
  const paragraphs = [task.task];
  if (deliverableTypes.length > 0) {
    paragraphs.push(`Requested deliverables: ${deliverableTypes.join(", ")}.`);
  }
  for (const { question, response } of listUnsentAnswers(task, checkpoint)) {
    if (response !== null)
      paragraphs.push(`Question: ${question}\nAnswer: ${formatResponse(response)}`);
  }
  if (reviewComments.length > 0) {
    paragraphs.push(`Review comments on earlier work:\n\n${reviewComments.join("\n\n")}`);
  }
  return paragraphs.join("\n\n");
}

function formatChanges({ reviewComments }: Task, { comments }: A2aCheckpoint): string {
  const unsent = reviewComments.slice(comments);
  return unsent.length === 0
    ? "The reviewer requested changes without saying which."
    : `The reviewer requested changes:\n\n${unsent.join("\n\n")}`;
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

function createResponsePart(response: BlockAnswer["response"], takesData: boolean): JsonObject {
  if (response === null) return createTextPart("Continue.");
  return typeof response === "string"
    ? createTextPart(response)
    : createDataPart(response, takesData);
}

function formatResponse(response: BlockAnswer["response"]): string {
  return typeof response === "string" ? response : JSON.stringify(response);
}

/** JSON as a data part, or as text for agents that accept only text. */
function createDataPart(data: JsonObject, takesData: boolean): JsonObject {
  if (!takesData) return createTextPart(JSON.stringify(data, null, 2));
  return { data, mediaType: "application/json" };
}

function createTextPart(text: string): JsonObject {
  return { text, mediaType: "text/plain" };
}

/** Joins the text parts of a message. For an artifact, whose parts are pieces of a stream, `separator` is "". */
export function joinTextParts(parts: readonly Part[], separator: "\n" | "" = "\n"): string {
  return parts
    .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
    .join(separator)
    .trim();
}

/** Formats a message for people: its text, data and links, truncated to the limit. Returns "" if it has none. */
export function formatMessageText(message: Message | null): string {
  const texts = (message?.parts ?? []).flatMap(({ content }) => {
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
  return sanitizeText(texts.join("\n"), A2A_TEXT_CHARACTERS_MAX);
}
