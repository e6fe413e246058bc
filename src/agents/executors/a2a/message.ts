import type { Message, Part, Role } from "@a2a-js/sdk";
import type { Json, JsonObject } from "../../../domain/json.ts";
import type { Answer, Task } from "../../../domain/task.ts";
import type { Held } from "./held.ts";
import { WORDS, type Cause } from "./states.ts";

/** ROLE_USER of the protocol's schema. */
const USER: Role = 1;

/** What the agent must hear of next; null when it knows everything and is only to be followed. */
export function nextCause(task: Task, held: Held): Cause | null {
  if (!held.isStarted) return "start";
  if (task.round > held.round) return "changes";
  return unheard(task, held).length > 0 ? "answer" : null;
}

/** What has been said when the message for the next cause has arrived. */
export function heard(task: Task, held: Held, now: number): Held {
  const { round, answers, reviewComments } = task;
  return {
    ...held,
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
export function messageFor(
  cause: Cause,
  ourTaskId: string,
  task: Task,
  held: Held,
  takesData: boolean,
): Message {
  const words = WORDS[cause];
  const refersTo = words.task === "new" && words.context === "same" ? held.taskId : null;
  return {
    messageId: `${ourTaskId}-${task.attempt}-${task.openedSeq}`,
    contextId: words.context === "same" ? (held.contextId ?? "") : "",
    taskId: words.task === "same" ? (held.taskId ?? "") : "",
    role: USER,
    parts: partsOf(cause, task, held, takesData),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: refersTo === null ? [] : [refersTo],
  };
}

function partsOf(cause: Cause, task: Task, held: Held, takesData: boolean): Part[] {
  switch (cause) {
    case "start":
      return [textPart(request(task, held)), jsonPart(circumstances(task), takesData)];
    case "answer":
      return unheard(task, held).map(({ response }) => responsePart(response, takesData));
    case "changes":
      return [textPart(changes(task, held)), jsonPart(circumstances(task), takesData)];
  }
}

function unheard({ answers }: Task, held: Held): readonly Answer[] {
  return answers.filter((_, place) => place >= held.answers && !held.own.includes(place));
}

/** The task in words, with what people have said to it before there was a task elsewhere. */
function request(task: Task, held: Held): string {
  const { deliverableTypes, reviewComments } = task;
  const paragraphs = [task.task];
  if (deliverableTypes.length > 0) {
    paragraphs.push(`Deliverables wanted: ${deliverableTypes.join(", ")}.`);
  }
  for (const { question, response } of unheard(task, held)) {
    if (response !== null) paragraphs.push(`Asked: ${question}\nAnswered: ${written(response)}`);
  }
  if (reviewComments.length > 0) {
    paragraphs.push(`The reviewer of earlier work says:\n\n${reviewComments.join("\n\n")}`);
  }
  return paragraphs.join("\n\n");
}

function changes({ reviewComments }: Task, { comments }: Held): string {
  const said = reviewComments.slice(comments);
  return said.length === 0
    ? "The reviewer asks for changes, without saying which."
    : `The reviewer asks for changes:\n\n${said.join("\n\n")}`;
}

function circumstances(task: Task): JsonObject {
  return {
    context: task.context,
    deliverables: [...task.deliverableTypes],
    priority: task.priority,
    deadline: task.deadline === null ? null : new Date(task.deadline).toISOString(),
    attempt: task.attempt,
  };
}

function responsePart(response: Answer["response"], takesData: boolean): Part {
  if (response === null) return textPart("Go on.");
  return typeof response === "string" ? textPart(response) : jsonPart(response, takesData);
}

function written(response: Answer["response"]): string {
  return typeof response === "string" ? response : JSON.stringify(response);
}

/** JSON as a part of its own, or written out for agents that read text alone. */
function jsonPart(value: Json, takesData: boolean): Part {
  if (!takesData) return textPart(JSON.stringify(value, null, 2));
  return part({ $case: "data", value }, "application/json");
}

function textPart(value: string): Part {
  return part({ $case: "text", value }, "text/plain");
}

function part(content: NonNullable<Part["content"]>, mediaType: string): Part {
  return { content, metadata: undefined, filename: "", mediaType };
}
