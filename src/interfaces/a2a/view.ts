import type { DirectoryRow } from "../../tasks/model/listing.ts";
import {
  Artifact,
  Message,
  Role,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from "@a2a-js/sdk";
import { withDownloadLinks } from "../../tasks/api/deliverables.ts";
import type { A2aCallContext } from "./call-context.ts";
import { type A2aTaskView, formatA2aTaskId, type HistoryEntry } from "./task-run.ts";
import { a2aStateOf } from "./task-state.ts";
import { budgetWarnings } from "../../tasks/model/budget.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { errorOf, outcomeOf } from "../../tasks/model/task.ts";

const A2A_ROLES = { user: Role.ROLE_USER, agent: Role.ROLE_AGENT };

type LinkContext = Pick<A2aCallContext, "origin"> & { readonly env: Pick<Env, "SIGNING_KEY"> };

/** A run as an A2A task, with its artifacts and its last `historyMax` messages, or all messages if null. */
export function buildA2aTask(
  call: LinkContext,
  view: A2aTaskView,
  historyMax: number | null,
): Task {
  const { history } = view;
  const from = historyMax === null ? 0 : Math.max(0, history.length - historyMax);
  return {
    id: formatA2aTaskId(view),
    contextId: contextIdOf(view),
    status: toA2aStatus(view),
    artifacts: buildArtifacts(call, view),
    history: history.slice(from).map((entry) => toA2aMessage(view, entry)),
    metadata: toA2aMetadata(view),
  };
}

/** The context id that the client chose, or the id of the Bosun task. */
export function contextIdOf({ taskId, task }: A2aTaskView): string {
  return task.contextId ?? taskId;
}

export function idsOf(view: A2aTaskView) {
  return { taskId: formatA2aTaskId(view), contextId: contextIdOf(view) };
}

export function toStatusUpdate(view: A2aTaskView): StreamResponse {
  const value = { ...idsOf(view), status: toA2aStatus(view), metadata: toA2aMetadata(view) };
  return { payload: { $case: "statusUpdate", value } };
}

function toA2aStatus(view: A2aTaskView): TaskStatus {
  const { seq, at, text } = view.lastUpdate;
  return {
    state: a2aStateOf(view.task),
    message: text === null ? undefined : toA2aMessage(view, { seq, role: "agent", parts: [text] }),
    timestamp: new Date(at).toISOString(),
  };
}

/** Fields that A2A does not define. They do not change after the run ends. */
function toA2aMetadata({ taskId, task }: A2aTaskView): { bosun: JsonObject } {
  const { status, attempt, progress, agentId, agentName } = task;
  const error = errorOf(task);
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

/** The message id never changes, because it consists of the task's id and the event's sequence number. */
function toA2aMessage(view: A2aTaskView, { seq, role, parts }: HistoryEntry): Message {
  const ids = idsOf(view);
  return Message.fromJSON({
    messageId: `${ids.taskId}.${seq}`,
    ...ids,
    role: A2A_ROLES[role],
    parts: parts.map(toPart),
  });
}

function toPart(content: string | JsonObject): JsonObject {
  return typeof content === "string"
    ? { text: content, mediaType: "text/plain" }
    : { data: content, mediaType: "application/json" };
}

/** The artifacts of a run's outcome: the result, then each file as a link that works without a key. */
export function buildArtifacts(
  { env, origin }: LinkContext,
  { taskId, task }: A2aTaskView,
): Artifact[] {
  const outcome = outcomeOf(task);
  if (outcome === null) return [];
  const { quality, result, deliverables } = outcome;
  const { summary, insights, recommendations } = result;
  const findings = {
    insights: [...insights],
    recommendations: [...recommendations],
    ...(quality === null ? {} : { quality: { ...quality } }),
  };
  const parts = [toPart(summary), toPart(findings)];
  const files = withDownloadLinks(env, origin, taskId, deliverables).map((file) => {
    const { name, format, downloadUrl, type, size, sha256, url } = file;
    const about = { type, size, url, ...(sha256 === undefined ? {} : { sha256 }) };
    const metadata = { bosun: about };
    const part = { url: downloadUrl, filename: name, mediaType: format, metadata };
    return { artifactId: `deliverables/${name}`, name, parts: [part] };
  });
  return [{ artifactId: "result", name: "Result", parts }, ...files].map((one) =>
    Artifact.fromJSON(one),
  );
}

/** A task that has had only one run, built from its row in the directory. */
export function toListedA2aTask(row: DirectoryRow): Task {
  const { id, contextId, status, attempt, agentId, agentName } = row;
  const { createdAt, startedAt, endedAt } = row;
  const timestamp = new Date(endedAt ?? startedAt ?? createdAt).toISOString();
  return {
    id,
    contextId: contextId ?? id,
    status: { state: a2aStateOf({ status, blocked: null }), message: undefined, timestamp },
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
