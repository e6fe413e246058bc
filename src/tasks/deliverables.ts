import type { Failure } from "../domain/failure.ts";
import type { Viewer } from "../domain/key.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Deliverable, Outcome, Task } from "../domain/task.ts";
import { allowedActions } from "../domain/commands.ts";
import { fileResponse, isGoodLink, signedQuery } from "../http/download.ts";
import { taskOf, type TaskPort } from "./port.ts";
import { deliverableView, type DeliverableView } from "./view.ts";

/** The deliverables of a task in review or completed, each with a link that needs no key. */
export async function listDeliverables(
  env: Pick<Env, "TASKS" | "SIGNING_KEY">,
  viewer: Viewer,
  origin: string,
  id: string,
): Promise<Result<object, Failure>> {
  const port = taskOf(env.TASKS, id);
  const outcome = port.ok ? await outcomeOf(port.value, viewer) : port;
  if (!outcome.ok) return outcome;
  const deliverables = linked(env, origin, id, outcome.value.deliverables);
  return ok({ taskId: id, deliverables });
}

/** Files of a task, each with a link that needs no key for as long as it lasts. */
export function linked(
  env: Pick<Env, "SIGNING_KEY">,
  origin: string,
  id: string,
  files: readonly Deliverable[],
): (DeliverableView & { readonly downloadUrl: string; readonly format: string })[] {
  const now = Date.now();
  return files.map((file) => {
    const view = deliverableView(origin, id, file);
    const query = signedQuery(env.SIGNING_KEY, [id, file.name], now);
    return { ...view, downloadUrl: `${view.url}?${query}`, format: file.format };
  });
}

/** The bytes of one deliverable. */
export async function readDeliverable(
  env: Pick<Env, "TASKS" | "FILES">,
  viewer: Viewer,
  id: string,
  name: string,
): Promise<Result<Response, Failure>> {
  const port = taskOf(env.TASKS, id);
  if (!port.ok) return port;
  const outcome = await outcomeOf(port.value, viewer);
  if (!outcome.ok) return outcome;
  const missing: Failure = { kind: "not_found", what: "deliverable", id: name };
  const file = outcome.value.deliverables.find((one: Deliverable) => one.name === name);
  if (file === undefined) return fail(missing);
  if (file.heldAt !== undefined) {
    const held = await port.value.heldFile(viewer, name);
    if (!held.ok) return held;
    const bytes = held.value;
    return bytes === null ? fail(missing) : ok(fileResponse(file, bytes, bytes.byteLength));
  }
  const stored = await env.FILES.get(file.key);
  return stored === null ? fail(missing) : ok(fileResponse(file, stored.body, stored.size));
}

/** Whether a link may be followed without a key. */
export function checkLink(
  env: Pick<Env, "SIGNING_KEY">,
  file: { taskId: string; name: string },
  query: URLSearchParams,
): Result<null, Failure> {
  if (isGoodLink(env.SIGNING_KEY, [file.taskId, file.name], query, Date.now())) return ok(null);
  const reason =
    "This link is not valid or has expired; get a new one from the task's deliverables.";
  return fail({ kind: "unauthenticated", reason });
}

async function outcomeOf(port: TaskPort, viewer: Viewer): Promise<Result<Outcome, Failure>> {
  const read = await port.read(viewer);
  if (!read.ok) return read;
  const task: Task = read.value;
  if (task.outcome !== null) return ok(task.outcome);
  const { status } = task;
  const action = "asked for its deliverables";
  return fail({ kind: "task_not_completed", action, status, allowed: allowedActions(status) });
}
