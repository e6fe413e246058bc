import { Hono } from "hono";
import { senderOf, type CommandSender } from "../model/author.ts";
import { budgetWarnings } from "../model/budget.ts";
import { formatEntityTag } from "../../kernel/entity-tag.ts";
import type { TaskEventData } from "../model/events.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { feedbackOf, type Task } from "../model/task.ts";
import {
  type AppContext,
  type AppEnv,
  readPathParam,
  requestOriginOf,
  viewerOfRequest,
  readIdempotencyKey,
  readIfMatch,
  sendFailure,
  type SuccessReply,
} from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods, selectByIdempotencyKey } from "../../http/endpoint.ts";
import { hasSignedLink } from "../../http/downloads.ts";
import { acceptsEventStream } from "../../http/streaming.ts";
import { openStream } from "../../keys/open-stream.ts";
import { listCalls } from "./calls.ts";
import { callView } from "./call-view.ts";
import { createTask } from "./create-task.ts";
import { eventView, createdTaskView, taskUrl, taskView } from "./view.ts";
import { checkDownloadLink, listDeliverables, readDeliverable } from "./deliverables.ts";
import { listTasks } from "./list-tasks.ts";
import { taskStub, type ClientCommand } from "../task.rpc.ts";
import { retryTask } from "./retry-task.ts";
import { streamTask } from "./stream-task.ts";
import { updateTask } from "./update-task.ts";
import { taskOperations } from "./operations.ts";
import * as schemas from "./schemas.ts";
import type { CreatedTaskResponse, TaskResponse } from "./task-schemas.ts";
import { uploadFile } from "../workers/routes.ts";

/** Whether a request uses a signed download link instead of a key. */
export function isSignedDownload(c: AppContext): boolean {
  return hasSignedLink(c, /^\/agents\/tasks\/[^/]+\/deliverables\/[^/]+$/);
}

/** The viewer for a signed link. The link itself grants access. */
const LINK_BEARER: Viewer = { agentId: null, teamId: null };

/** The task's id is derived from the idempotency key, so the object detects repeats for as long as the task exists. */
const create = selectByIdempotencyKey(
  defineEndpoint(taskOperations.createTask, handleCreate),
  defineEndpoint({ ...taskOperations.createTask, body: schemas.repeatableTaskBody }, handleCreate),
);

async function handleCreate(
  c: AppContext,
  { body }: { body: schemas.CreateTaskBody },
): Promise<Result<SuccessReply<CreatedTaskResponse>, Failure>> {
  const idempotencyKey = readIdempotencyKey(c.req.raw.headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const created = await createTask(c.env, c.get("key"), body, idempotencyKey.value, {
    sessionId: c.get("session")?.id,
  });
  if (!created.ok) return created;
  const { id, task, replayed } = created.value;
  const origin = requestOriginOf(c);
  const headers = {
    Location: taskUrl(origin, id),
    ...(replayed ? { "Idempotency-Replayed": "true" } : {}),
  };
  const warnings = task.budget === null ? [] : budgetWarnings(task.budget);
  return ok({ data: createdTaskView(origin, id, task), status: 201 as const, headers, warnings });
}

const list = defineEndpoint(taskOperations.listTasks, async (c, { query }) =>
  toReply(await listTasks(c.env, c.get("key"), query)),
);

const read = defineEndpoint(taskOperations.getTask, async (c, { query }) => {
  const id = readPathParam(c, "id");
  const stub = taskStub(c.env.TASKS, id);
  const task = stub.ok ? await stub.value.read(viewerOfRequest(c)) : stub;
  if (!task.ok) return task;
  return ok(toTaskReply(c, task.value, query.include === "context" ? "whole" : "unless_large"));
});

const update = defineEndpoint(taskOperations.updateTask, async (c, { body }) => {
  const ifMatch = readIfMatch(c.req.raw.headers);
  if (!ifMatch.ok) return ifMatch;
  const stub = taskStub(c.env.TASKS, readPathParam(c, "id"));
  if (!stub.ok) return stub;
  const { agentId, ...fields } = body;
  const change: Omit<TaskEventData["updated"], "choice"> = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  const request = { change, agentId, ifMatch: ifMatch.value };
  const updated = await updateTask(c.env, stub.value, c.get("key"), request, c.get("session")?.id);
  if (!updated.ok) return updated;
  const warnings = budgetWarnings(change.budget ?? null);
  return ok({ ...toTaskReply(c, updated.value), warnings });
});

const cancel = defineEndpoint(taskOperations.cancelTask, async (c, { body }) =>
  sendCommand(c, { type: "cancel", reason: body.reason ?? null }),
);

const retry = defineEndpoint(taskOperations.retryTask, async (c, { body }) => {
  const stub = taskStub(c.env.TASKS, readPathParam(c, "id"));
  if (!stub.ok) return stub;
  const request = { reassign: body.reassign, context: body.context ?? null };
  const retried = await retryTask(c.env, stub.value, senderOfRequest(c), request);
  return retried.ok ? ok(toTaskReply(c, retried.value)) : retried;
});

const respond = defineEndpoint(taskOperations.respondToTask, async (c, { body }) =>
  sendCommand(c, { type: "respond", response: body.response }),
);

const review = defineEndpoint(taskOperations.reviewTask, async (c, { body }) =>
  sendCommand(c, { type: "review", decision: body.decision, comment: body.comment ?? null }),
);

const feedback = defineEndpoint(taskOperations.giveFeedback, async (c, { body }) => {
  const id = readPathParam(c, "id");
  const stub = taskStub(c.env.TASKS, id);
  if (!stub.ok) return stub;
  const given = {
    rating: body.rating,
    ...(body.feedback === undefined ? {} : { feedback: body.feedback }),
    ...(body.issues === undefined ? {} : { issues: body.issues }),
  };
  const rated = await stub.value.command(senderOfRequest(c), { type: "rate", feedback: given });
  if (!rated.ok) return rated;
  const status = feedbackOf(rated.value.before) === null ? (201 as const) : (200 as const);
  return ok({ data: { taskId: id, ...given }, status });
});

const events = defineEndpoint(taskOperations.listTaskEvents, async (c, { query }) => {
  if (acceptsEventStream(c)) {
    const isLimited = c.req.query("limit") !== undefined;
    if (isLimited)
      return fail(
        createFieldFailure("limit", "must be omitted for a stream, which sends every event"),
      );
    return stream(c, query.after);
  }
  const id = readPathParam(c, "id");
  const stub = taskStub(c.env.TASKS, id);
  const page = stub.ok ? await stub.value.events(viewerOfRequest(c), query) : stub;
  if (!page.ok) return page;
  const nextAfter = page.value.more ? (page.value.events.at(-1)?.seq ?? null) : null;
  return ok({
    data: {
      taskId: id,
      events: page.value.events.map((event) => eventView(event, viewerOfRequest(c))),
      nextAfter,
    },
  });
});

const calls = defineEndpoint(taskOperations.listTaskCalls, async (c, { query }) => {
  const taskId = readPathParam(c, "id");
  const { outcome = null, limit, cursor } = query;
  const viewer = viewerOfRequest(c);
  const listed = await listCalls(c.env, viewer, taskId, { outcome, limit, cursor });
  if (!listed.ok) return listed;
  const { nextCursor } = listed.value;
  const shown = listed.value.calls.map((call) => callView(call, viewer));
  return ok({ data: { taskId, calls: shown, limit, nextCursor } });
});

const call = defineEndpoint(taskOperations.getTaskCall, async (c) => {
  const stub = taskStub(c.env.TASKS, readPathParam(c, "id"));
  const viewer = viewerOfRequest(c);
  const found = stub.ok ? await stub.value.readCall(viewer, readPathParam(c, "callId")) : stub;
  return found.ok ? ok({ data: callView(found.value, viewer) }) : found;
});

function stream(c: AppContext, after: number): Promise<Result<never, Failure> | Response> {
  const at = { id: readPathParam(c, "id"), origin: requestOriginOf(c), viewer: c.get("key") };
  const lastEventId = c.req.header("Last-Event-ID");
  return openStream(c, (signal) => streamTask(c.env, at, { after, lastEventId }, signal));
}

const deliverables = defineEndpoint(taskOperations.listDeliverables, async (c) =>
  toReply(
    await listDeliverables(c.env, viewerOfRequest(c), requestOriginOf(c), readPathParam(c, "id")),
  ),
);

/** Requires a key with tasks:read or a signed link, so the handler checks the scope. */
const download = defineEndpoint(taskOperations.downloadDeliverable, async (c) => {
  const taskId = readPathParam(c, "id");
  const name = readPathParam(c, "name");
  const byLink = isSignedDownload(c);
  if (byLink) {
    const link = checkDownloadLink(c.env, { taskId, name }, new URL(c.req.url).searchParams);
    if (!link.ok) return link;
  } else if (!c.get("key").scopes.includes("tasks:read")) {
    return fail<Failure>({ kind: "insufficient_scope", scopes: ["tasks:read"] });
  }
  const viewer = byLink ? LINK_BEARER : viewerOfRequest(c);
  const file = await readDeliverable(c.env, viewer, taskId, name);
  return file.ok ? file.value : sendFailure(c, file.failure);
});

function senderOfRequest(c: AppContext): CommandSender {
  return senderOf(c.get("key"), c.get("session")?.id);
}

/** Sends a command and returns the whole task, as GET does. */
async function sendCommand(
  c: AppContext,
  command: ClientCommand,
): Promise<Result<SuccessReply<TaskResponse>, Failure>> {
  const stub = taskStub(c.env.TASKS, readPathParam(c, "id"));
  const done = stub.ok ? await stub.value.command(senderOfRequest(c), command) : stub;
  return done.ok ? ok(toTaskReply(c, done.value.task)) : done;
}

/** Returns the whole task. Its version is sent as the ETag. */
function toTaskReply(
  c: AppContext,
  task: Task,
  options?: Parameters<typeof taskView>[4],
): SuccessReply<TaskResponse> {
  const reader = { viewer: viewerOfRequest(c), now: Date.now() };
  const data = taskView(requestOriginOf(c), readPathParam(c, "id"), task, reader, options);
  return { data, headers: { ETag: formatEntityTag(task.seq) } };
}

function toReply<Data>(result: Result<Data, Failure>): Result<SuccessReply<Data>, Failure> {
  return result.ok ? ok({ data: result.value }) : result;
}

export const taskRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .get("/agents/tasks", ...list)
    .post("/agents/tasks", ...create)
    .get("/agents/tasks/:id", ...read)
    .patch("/agents/tasks/:id", ...update)
    .get("/agents/tasks/:id/events", ...events)
    .get("/agents/tasks/:id/calls", ...calls)
    .get("/agents/tasks/:id/calls/:callId", ...call)
    .post("/agents/tasks/:id/cancel", ...cancel)
    .post("/agents/tasks/:id/retry", ...retry)
    .post("/agents/tasks/:id/respond", ...respond)
    .post("/agents/tasks/:id/review", ...review)
    .post("/agents/tasks/:id/feedback", ...feedback)
    .get("/agents/tasks/:id/deliverables", ...deliverables)
    .get("/agents/tasks/:id/deliverables/:name", ...download)
    .put("/agents/tasks/:id/deliverables/:name", ...uploadFile),
);
