import type { Artifact, Message, Part, Role, Task, TaskStatus } from "@a2a-js/sdk";
import { budgetWarnings } from "../../domain/budget.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Outcome } from "../../domain/task.ts";
import type { linked } from "../../tasks/deliverables.ts";
import type { DirectoryRow } from "../../tasks/directory.ts";
import { idOf, type Address } from "./ids.ts";
import type { Life, Saying } from "./lives.ts";
import { stateOf } from "./states.ts";

/** ROLE_USER and ROLE_AGENT of the protocol's schema. */
const ROLES: Readonly<Record<Saying["by"], Role>> = { user: 1, agent: 2 };

/** A life as A2A shows it, with what was said last in it; `historyMax` null: all of it. */
export function taskOf(
  address: Address,
  life: Life,
  artifacts: readonly Artifact[],
  historyMax: number | null,
): Task {
  const { history } = life;
  const from = historyMax === null ? 0 : Math.max(0, history.length - historyMax);
  return {
    id: idOf(address),
    contextId: address.taskId,
    status: statusOf(address, life),
    artifacts: [...artifacts],
    history: history.slice(from).map((saying) => messageOf(address, saying)),
    metadata: metadataOf(address, life),
  };
}

export function statusOf(address: Address, { task, note }: Life): TaskStatus {
  const { seq, at, text } = note;
  return {
    state: stateOf(task),
    message: text === null ? undefined : messageOf(address, { seq, by: "agent", words: [text] }),
    timestamp: new Date(at).toISOString(),
  };
}

/** What A2A has no field for. Nothing in it changes any more once a life is over. */
export function metadataOf({ taskId }: Address, { task }: Life): { bosun: JsonObject } {
  const { status, attempt, progress, agentId, agentName, error } = task;
  const warnings = budgetWarnings(task.budget);
  return {
    bosun: {
      taskId,
      status,
      attempt,
      progress,
      ...(agentId === null ? {} : { agentId }),
      ...(agentName === null ? {} : { agentName }),
      ...(error === null ? {} : { error: { code: error.code, retryable: error.retryable } }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

/** Its id is the same whenever it is told: that of the task, and the event that it was said with. */
function messageOf(address: Address, { seq, by, words }: Saying): Message {
  return {
    messageId: `${idOf(address)}.${seq}`,
    contextId: address.taskId,
    taskId: idOf(address),
    role: ROLES[by],
    parts: words.map((one) => (typeof one === "string" ? textPart(one) : dataPart(one))),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

type Files = Awaited<ReturnType<typeof linked>>;

/** What was handed over: the result in words and findings, then each file by a link that needs no key. */
export function artifactsOf({ result, quality }: Outcome, files: Files): Artifact[] {
  const { summary, insights, recommendations } = result;
  const findings = {
    insights: [...insights],
    recommendations: [...recommendations],
    ...(quality === null ? {} : { quality: { ...quality } }),
  };
  return [
    artifact("result", "Result", [textPart(summary), dataPart(findings)]),
    ...files.map(({ name, format, downloadUrl, type, size, sha256, url }) =>
      artifact(`deliverables/${name}`, name, [
        {
          ...part({ $case: "url", value: downloadUrl }, format),
          filename: name,
          metadata: { bosun: { type, size, url, ...(sha256 === undefined ? {} : { sha256 }) } },
        },
      ]),
    ),
  ];
}

function artifact(artifactId: string, name: string, parts: Part[]): Artifact {
  return { artifactId, name, description: "", parts, metadata: undefined, extensions: [] };
}

function textPart(value: string): Part {
  return part({ $case: "text", value }, "text/plain");
}

function dataPart(value: JsonObject): Part {
  return part({ $case: "data", value }, "application/json");
}

function part(content: NonNullable<Part["content"]>, mediaType: string): Part {
  return { content, metadata: undefined, filename: "", mediaType };
}

/** A task of one life as the directory knows it. */
export function taskOfRow(row: DirectoryRow): Task {
  const { id, status, attempt, agentId, agentName, createdAt, startedAt, endedAt } = row;
  const timestamp = new Date(endedAt ?? startedAt ?? createdAt).toISOString();
  return {
    id,
    contextId: id,
    status: { state: stateOf({ status, blocked: null }), message: undefined, timestamp },
    artifacts: [],
    history: [],
    metadata: {
      bosun: {
        taskId: id,
        status,
        attempt,
        ...(agentId === null ? {} : { agentId }),
        ...(agentName === null ? {} : { agentName }),
      },
    },
  };
}
