import type { Hono } from "hono";
import { budgetWarnings } from "../domain/budget.ts";
import { entityTag, type IfMatch } from "../domain/entity-tag.ts";
import type { EventData } from "../domain/events.ts";
import { invalid, type Failure } from "../domain/failure.ts";
import type { Viewer } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { endpoint, resource, type Endpoint } from "../http/endpoint.ts";
import { readIdempotencyKey } from "../http/idempotency-key.ts";
import { readIfMatch } from "../http/if-match.ts";
import { originOf, param, viewerOf } from "../http/named.ts";
import { followsLink, LINK_PARAMETERS } from "../http/download.ts";
import { failed, type Reply } from "../http/envelope.ts";
import { streamFrames, wantsStream } from "../http/stream.ts";
import { holdOpen } from "../keys/key-limits.ts";
import { createTask } from "./create.ts";
import { eventView } from "./event-view.ts";
import { checkLink, listDeliverables, readDeliverable } from "./deliverables.ts";
import { listTasks } from "./list.ts";
import { taskOf, type ClientCommand } from "./port.ts";
import { retryTask } from "./retry.ts";
import { taskStream } from "./stream.ts";
import { createdView, taskUrl, taskView } from "./view.ts";
import * as wire from "./wire.ts";
import { upload } from "./worker/routes.ts";

/** The tasks of the specification, with their events, answers and reviews. */
export function taskRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/tasks", { GET: list, POST: create });
  resource(app, "/agents/tasks/:id", { GET: read, PATCH: update });
  resource(app, "/agents/tasks/:id/events", { GET: events });
  resource(app, "/agents/tasks/:id/cancel", { POST: cancel });
  resource(app, "/agents/tasks/:id/retry", { POST: retry });
  resource(app, "/agents/tasks/:id/respond", { POST: respond });
  resource(app, "/agents/tasks/:id/review", { POST: review });
  resource(app, "/agents/tasks/:id/feedback", { POST: feedback });
  resource(app, "/agents/tasks/:id/deliverables", { GET: deliverables });
  resource(app, "/agents/tasks/:id/deliverables/:name", { GET: download, PUT: upload });
}

/** Whether a request follows a signed download link, which stands for a key. */
export function isSignedDownload(c: AppContext): boolean {
  return followsLink(c, /^\/agents\/tasks\/[^/]+\/deliverables\/[^/]+$/);
}

/** Who follows a signed link: the link itself is the permission. */
const LINK_BEARER: Viewer = { agentId: null, teamId: null };

/** A task's id is made of its key, which holds for as long as the task does. */
const CREATION = { scope: "tasks:write", ownIdempotency: true } as const;
const createNew = endpoint({ ...CREATION, body: wire.createTaskBody }, creating);
const createOnce = endpoint({ ...CREATION, body: wire.repeatableTaskBody }, creating);

const create: Endpoint = Object.assign(
  (c: AppContext) => (c.req.header("Idempotency-Key") === undefined ? createNew(c) : createOnce(c)),
  { inputs: createNew.inputs },
);

async function creating(
  c: AppContext,
  { body }: { body: wire.CreateTaskBody },
): Promise<Result<Reply, Failure>> {
  const idempotencyKey = readIdempotencyKey(c.req.raw.headers);
  if (!idempotencyKey.ok) return idempotencyKey;
  const created = await createTask(c.env, c.get("key"), body, idempotencyKey.value);
  if (!created.ok) return created;
  const { id, task, replayed } = created.value;
  const origin = originOf(c);
  const headers = {
    Location: taskUrl(origin, id),
    ...(replayed ? { "Idempotency-Replayed": "true" } : {}),
  };
  const warnings = budgetWarnings(task.budget);
  return ok({ data: createdView(origin, id, task), status: 201 as const, headers, warnings });
}

const list = endpoint({ scope: "tasks:read", query: wire.listTasksQuery }, async (c, { query }) =>
  replying(await listTasks(c.env, c.get("key"), query)),
);

const read = endpoint({ scope: "tasks:read", query: wire.getTaskQuery }, async (c, { query }) => {
  const id = param(c, "id");
  const port = taskOf(c.env.TASKS, id);
  const task = port.ok ? await port.value.read(viewerOf(c)) : port;
  if (!task.ok) return task;
  return ok(wholeTask(c, task.value, query.include === "context" ? "whole" : "unless_large"));
});

const update = endpoint(
  { scope: "tasks:write", body: wire.updateTaskBody },
  async (c, { body }) => {
    const ifMatch = readIfMatch(c.req.raw.headers);
    if (!ifMatch.ok) return ifMatch;
    const change: EventData["updated"] = Object.fromEntries(
      Object.entries(body).filter(([, value]) => value !== undefined),
    );
    return commanded(c, { type: "update", change }, ifMatch.value);
  },
);

const cancel = endpoint(
  { scope: "tasks:write", body: wire.cancelBody, emptyBody: {} },
  async (c, { body }) => commanded(c, { type: "cancel", reason: body.reason ?? null }),
);

const retry = endpoint(
  { scope: "tasks:write", body: wire.retryBody, emptyBody: {} },
  async (c, { body }) => {
    const port = taskOf(c.env.TASKS, param(c, "id"));
    if (!port.ok) return port;
    const wish = { reassign: body.reassign, context: body.context ?? null };
    const retried = await retryTask(c.env, port.value, viewerOf(c), wish);
    return retried.ok ? ok(wholeTask(c, retried.value)) : retried;
  },
);

const respond = endpoint({ scope: "tasks:write", body: wire.respondBody }, async (c, { body }) =>
  commanded(c, { type: "respond", response: body.response }),
);

const review = endpoint({ scope: "tasks:write", body: wire.reviewBody }, async (c, { body }) =>
  commanded(c, { type: "review", decision: body.decision, comment: body.comment ?? null }),
);

const feedback = endpoint(
  { scope: "tasks:write", body: wire.feedbackBody },
  async (c, { body }) => {
    const id = param(c, "id");
    const port = taskOf(c.env.TASKS, id);
    if (!port.ok) return port;
    const given = {
      rating: body.rating,
      ...(body.feedback === undefined ? {} : { feedback: body.feedback }),
      ...(body.issues === undefined ? {} : { issues: body.issues }),
    };
    const rated = await port.value.command(viewerOf(c), { type: "rate", feedback: given });
    if (!rated.ok) return rated;
    const status = rated.value.before.feedback === null ? (201 as const) : (200 as const);
    return ok({ data: { taskId: id, ...given }, status });
  },
);

const events = endpoint({ scope: "tasks:read", query: wire.eventsQuery }, async (c, { query }) => {
  if (wantsStream(c)) {
    const isLimited = c.req.query("limit") !== undefined;
    if (isLimited) return fail(invalid("limit", "must be left out: a stream sends every event"));
    return stream(c, query.after);
  }
  const id = param(c, "id");
  const port = taskOf(c.env.TASKS, id);
  const page = port.ok ? await port.value.events(viewerOf(c), query) : port;
  if (!page.ok) return page;
  const nextAfter = page.value.more ? (page.value.events.at(-1)?.seq ?? null) : null;
  return ok({
    data: {
      taskId: id,
      events: page.value.events.map((event) => eventView(event, viewerOf(c))),
      nextAfter,
    },
  });
});

async function stream(c: AppContext, after: number): Promise<Result<Reply, Failure> | Response> {
  const over = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => over.abort());
  const held = holdOpen(c.get("key"), over.signal);
  if (!held.ok) return held;
  let isStreaming = false;
  try {
    const at = { id: param(c, "id"), origin: originOf(c), viewer: c.get("key") };
    const lastEventId = c.req.header("Last-Event-ID");
    const frames = await taskStream(c.env, at, { after, lastEventId }, over.signal);
    if (!frames.ok) return frames;
    if (frames.value === null) return c.body(null, 204);
    isStreaming = true;
    return streamFrames(c, frames.value, over);
  } finally {
    if (!isStreaming) over.abort();
  }
}

const deliverables = endpoint({ scope: "tasks:read" }, async (c) =>
  replying(await listDeliverables(c.env, viewerOf(c), originOf(c), param(c, "id"))),
);

/** Needs a key with tasks:read or a signed link; so its scope is judged here. */
const download = endpoint({ ownQuery: LINK_PARAMETERS }, async (c) => {
  const taskId = param(c, "id");
  const name = param(c, "name");
  const byLink = isSignedDownload(c);
  if (byLink) {
    const link = checkLink(c.env, { taskId, name }, new URL(c.req.url).searchParams);
    if (!link.ok) return link;
  } else if (!c.get("key").scopes.includes("tasks:read")) {
    return fail<Failure>({ kind: "insufficient_scope", scopes: ["tasks:read"] });
  }
  const viewer = byLink ? LINK_BEARER : viewerOf(c);
  const file = await readDeliverable(c.env, viewer, taskId, name);
  return file.ok ? file.value : failed(c, file.failure);
});

/** Carries out a command and answers with the whole task, as GET would. */
async function commanded(
  c: AppContext,
  command: ClientCommand,
  ifMatch: IfMatch = null,
): Promise<Result<Reply, Failure>> {
  const port = taskOf(c.env.TASKS, param(c, "id"));
  const done = port.ok ? await port.value.command(viewerOf(c), command, ifMatch) : port;
  return done.ok ? ok(wholeTask(c, done.value.task)) : done;
}

/** The whole task with its version, which rises with each event. */
function wholeTask(c: AppContext, task: Task, options?: Parameters<typeof taskView>[4]): Reply {
  const look = { viewer: viewerOf(c), now: Date.now() };
  const data = taskView(originOf(c), param(c, "id"), task, look, options);
  return { data, headers: { ETag: entityTag(task.seq) } };
}

function replying(result: Result<object, Failure>): Result<Reply, Failure> {
  return result.ok ? ok({ data: result.value }) : result;
}
