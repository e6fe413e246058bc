import type { Failure } from "../../kernel/failure.ts";
import { ok, type Result } from "../../kernel/result.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { taskStub } from "../task.rpc.ts";
import { toWorkerReport, type ReportBody, type ReportResponse } from "./schemas.ts";
import { reportResponseView } from "./view.ts";

/** Sends a worker's report to its task. The response indicates whether the worker still holds the task. */
export async function sendReport(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  id: string,
  body: ReportBody,
): Promise<Result<ReportResponse, Failure>> {
  const stub = taskStub(env.TASKS, id);
  const reported = stub.ok
    ? await stub.value.report(viewer, body.lease, toWorkerReport(body))
    : stub;
  return reported.ok ? ok(reportResponseView(id, reported.value)) : reported;
}
