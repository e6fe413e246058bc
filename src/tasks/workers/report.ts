import type { Failure } from "../../kernel/failure.ts";
import { ok, type Result } from "../../kernel/result.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { taskStub } from "../task.rpc.ts";
import { toWorkerReport, type ReportBody } from "./schemas.ts";
import { reportResponseView } from "./view.ts";

/** Sends a worker's report to its task. The response says whether the worker still holds the task. */
export async function sendReport(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  id: string,
  body: ReportBody,
): Promise<Result<object, Failure>> {
  const port = taskStub(env.TASKS, id);
  const reported = port.ok
    ? await port.value.report(viewer, body.lease, toWorkerReport(body))
    : port;
  return reported.ok ? ok(reportResponseView(id, reported.value)) : reported;
}
