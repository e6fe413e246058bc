import type { TaskEvent } from "./task-log.ts";
import { formatCost } from "../cost.ts";
import { capitalize, count } from "../../tools/words.ts";
import { foreign, formatBytes, type Sentence } from "./text-parts.ts";
import { formatDuration, formatExactTime, formatTimesIn } from "../../ui/relative-time.ts";

/** An event as a person reads it. */
export interface EventLine {
  readonly sentence: Sentence;
  /** What the agent or a person wrote, such as a question or a reason. */
  readonly quote?: string;
  /** The name of the key that caused the event, and whether a person used it in the console. */
  readonly author?: { readonly keyName: string; readonly isInConsole: boolean };
}

/** The names of agents by their ids. */
type AgentNames = ReadonlyMap<string, string>;

type DataOf<Type extends TaskEvent["type"]> = Extract<TaskEvent, { type: Type }>["data"];

const QUESTIONS: Readonly<Record<DataOf<"blocked">["kind"], string>> = {
  input: "Asked a question",
  approval: "Asked for approval",
  auth: "Asked for permission or credentials",
  budget: "Asked for a higher budget",
  dependency: "Cannot continue until something else has happened",
};

/** Describes an event in one sentence. An agent whose name is unknown is named by its id. */
export function describeEvent(event: TaskEvent, names: AgentNames): EventLine {
  const described = describe(event, names);
  const by = "by" in event.data ? event.data.by : undefined;
  if (by === undefined) return described;
  const author = { keyName: by.keyName, isInConsole: by.sessionId !== undefined };
  return { ...described, author };
}

function describe(event: TaskEvent, names: AgentNames): EventLine {
  switch (event.type) {
    case "created":
      return describeCreated(event.data);
    case "assigned":
      return line(["Assigned to ", foreign(event.data.agentName)], event.data.reasons.join(", "));
    case "declined":
      return describeDeclined(event.data, names);
    case "started":
      return line([...workerOf(event.data, names), " started work"]);
    case "resumed":
      return line([...workerOf(event.data, names), " resumed work"]);
    case "progressed":
      return describeProgress(event.data);
    case "blocked":
      return line([QUESTIONS[event.data.kind]], event.data.question);
    case "call_stored":
      return line(["A call waits for approval: ", foreign(callName(event.data))]);
    case "call_settled":
      return line([event.data.message]);
    case "responded":
      return describeAnswer(event.data);
    case "submitted":
      return line(
        [`Submitted for review${withFiles(event.data.deliverables)}`],
        event.data.result.summary,
      );
    case "approved":
      return line(["Approved"], event.data.comment);
    case "changes_requested":
      return line(["Changes requested"], event.data.comment);
    case "completed":
      return line([`Completed${withFiles(event.data.deliverables)}`], event.data.result.summary);
    case "failed":
      return line(
        [`The attempt failed (${event.data.error.code})`],
        formatTimesIn(event.data.error.message),
      );
    case "cancelled":
      return line(["Cancelled"], event.data.reason);
    case "retried":
      return describeRetry(event.data);
    case "updated":
      return describeUpdate(event.data);
    case "rated":
      return line([`Rated ${event.data.rating} of 5`], event.data.feedback);
  }
}

function line(sentence: Sentence, quote?: string | null): EventLine {
  return quote ? { sentence, quote } : { sentence };
}

function describeCreated({ choice, createdBy, by: author }: DataOf<"created">): EventLine {
  // The console shows the author of every event that has one, so the sentence does not repeat it.
  const isNamed = author !== undefined || createdBy === undefined;
  const by: Sentence = isNamed ? [] : [" by the key ", foreign(createdBy)];
  const agent: Sentence =
    choice === null
      ? ["; no suitable agent is available yet"]
      : [" for ", foreign(choice.agentName)];
  return line(["Created", ...by, ...agent]);
}

function describeDeclined(
  { agentId, reason, excludes, released }: DataOf<"declined">,
  names: AgentNames,
): EventLine {
  const agent = agentOf(agentId, names);
  if (released === true) return line(["A worker of ", agent, " returned the task"], reason);
  if (excludes === false) return line(["Taken back from ", agent], reason);
  return line([agent, " declined the task"], reason);
}

function workerOf({ agentId, lease }: DataOf<"started">, names: AgentNames): Sentence {
  const agent = agentOf(agentId, names);
  if (lease === undefined) return [agent];
  if (lease.worker === null) return ["A worker of ", agent];
  return ["The worker ", foreign(lease.worker), " of ", agent];
}

function agentOf(agentId: string, names: AgentNames): Sentence[number] {
  return foreign(names.get(agentId) ?? agentId);
}

function describeProgress(data: DataOf<"progressed">): EventLine {
  const { progress, phase, calls, outside, error, use, file } = data;
  if (file) return line(["Uploaded ", foreign(file.name), ` (${formatBytes(file.size)})`]);
  if (error)
    return line([`A turn failed (${error.code}); the service will retry it`], error.message);
  const callCount = calls.length > 0 ? count(calls.length, "tool call") : null;
  const tokenCount = use ? count(use.inputTokens + use.outputTokens, "token") : null;
  if (outside !== true) {
    const counts = [callCount, tokenCount].filter((part) => part !== null);
    const suffix = counts.length > 0 ? ` (${counts.join(", ")})` : "";
    return line([`${progress}%: `, foreign(phase), suffix]);
  }
  const [call, ...others] = calls;
  if (call && others.length === 0 && !use) {
    const outcome = call.ok ? "succeeded" : "failed";
    const cost = call.cost > 0 ? `, ${formatCost(call.cost)}` : "";
    return line(
      [foreign(callName(call)), ` ${outcome} (${formatDuration(call.durationMs)}${cost})`],
      call.problem,
    );
  }
  if (callCount === null)
    return line([tokenCount === null ? "Recorded usage" : `Used ${tokenCount}`]);
  const used = tokenCount === null ? "" : ` and used ${tokenCount}`;
  return line([`Made ${callCount}${used}`]);
}

/** The name of a tool's capability: `table-analyst/profile`. */
export function callName({ toolId, capability }: { toolId: string; capability: string }): string {
  return `${toolId}/${capability}`;
}

function describeAnswer({ response, responseBytes }: DataOf<"responded">): EventLine {
  if (response === undefined) {
    return line([
      responseBytes === undefined ? "Answered" : `Answered (${formatBytes(responseBytes)})`,
    ]);
  }
  if (response === null) return line(["Continued without an answer"]);
  return line(["Answered"], typeof response === "string" ? response : JSON.stringify(response));
}

function withFiles(files: readonly unknown[]): string {
  return files.length === 0 ? "" : ` with ${count(files.length, "file")}`;
}

function describeRetry({ attempt, reassign, choice, automatic }: DataOf<"retried">): EventLine {
  const how = automatic ? " automatically" : "";
  const other = reassign ? "other " : "";
  const sentence: Sentence =
    choice === null
      ? [`Retried${how}; no ${other}suitable agent is available yet`]
      : [
          `${reassign ? "Reassigned" : "Retried"}${how} ${reassign ? "to" : "with"} `,
          foreign(choice.agentName),
        ];
  return line([...sentence, ` (attempt ${attempt})`], automatic?.error.message);
}

function describeUpdate(data: DataOf<"updated">): EventLine {
  const { choice, title, externalId, priority, deadline, context, contextBytes, notes } = data;
  const changed: readonly (Sentence | false)[] = [
    typeof title === "string" && ["the title to “", foreign(title), "”"],
    priority !== undefined && [`the priority to ${priority}`],
    deadline !== undefined && [`the deadline to ${formatExactTime(deadline)}`],
    data.labels !== undefined && ["the labels"],
    typeof externalId === "string" && ["the external id to “", foreign(externalId), "”"],
    data.deliverables !== undefined && ["the deliverables"],
    data.budget !== undefined && ["the budget"],
    (context !== undefined || contextBytes !== undefined) && ["the context"],
  ];
  const removed: readonly (Sentence | false)[] = [
    title === null && ["the title"],
    externalId === null && ["the external id"],
  ];
  const clauses = [
    choice === undefined ? [] : ["gave the task to ", foreign(choice.agentName)],
    clause("changed ", changed),
    clause("removed ", removed),
    notes === undefined ? [] : ["added a note"],
  ].filter((parts) => parts.length > 0);
  const [first = "changed the task", ...rest] = join(clauses, ", and ");
  return line([typeof first === "string" ? capitalize(first) : first, ...rest], notes);
}

function clause(verb: string, objects: readonly (Sentence | false)[]): Sentence {
  const present = objects.filter((object) => object !== false);
  return present.length === 0 ? [] : [verb, ...join(present, " and ")];
}

/** Joins with commas, and the last two with `last`. */
function join(sentences: readonly Sentence[], last: string): Sentence {
  return sentences.flatMap((sentence, index) => {
    if (index === 0) return sentence;
    return [index === sentences.length - 1 ? last : ", ", ...sentence];
  });
}
