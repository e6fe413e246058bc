import type { Failure } from "../../domain/failure.ts";
import type { Viewer } from "../../domain/key.ts";
import { ok, type Result } from "../../domain/result.ts";
import { taskOf } from "../port.ts";
import { reportedView } from "./view.ts";
import { reportIn, type ReportBody } from "./wire.ts";

/** Passes a worker's report on to its task, and answers how the worker stands with it from here on. */
export async function reportOn(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  id: string,
  body: ReportBody,
): Promise<Result<object, Failure>> {
  const port = taskOf(env.TASKS, id);
  const reported = port.ok ? await port.value.report(viewer, body.lease, reportIn(body)) : port;
  return reported.ok ? ok(reportedView(id, reported.value)) : reported;
}
