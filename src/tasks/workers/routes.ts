import { Hono } from "hono";
import { ok } from "../../kernel/result.ts";
import { recheckKey } from "../../http/middleware.ts";
import {
  type AppEnv,
  readPathParam,
  requestOriginOf,
  viewerOfRequest,
} from "../../http/envelope.ts";
import { defineEndpoint, answerOtherMethods } from "../../http/endpoint.ts";
import { claimTasks } from "./claim.ts";
import { sendReport } from "./report.ts";
import { storeUpload } from "./upload.ts";
import { claimedTaskView, uploadedFileView } from "./view.ts";
import { workerOperations } from "./operations.ts";

/** The worker routes. Mount them before the task routes, whose `:id` would match `claim`. */

const claim = defineEndpoint(workerOperations.claimTasks, async (c, { body }) => {
  const claimed = await claimTasks(c.env, c.get("key"), body, {
    signal: c.req.raw.signal,
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  });
  if (!claimed.ok) return claimed;
  return ok({
    data: {
      tasks: claimed.value.map((one) =>
        claimedTaskView(requestOriginOf(c), viewerOfRequest(c), one),
      ),
    },
  });
});

const report = defineEndpoint(workerOperations.reportOnTask, async (c, { body }) => {
  const reported = await sendReport(c.env, viewerOfRequest(c), readPathParam(c, "id"), body);
  return reported.ok ? ok({ data: reported.value }) : reported;
});

/** Mounted next to the download route, which has the same path. */
export const uploadFile = defineEndpoint(workerOperations.uploadDeliverable, async (c) => {
  const id = readPathParam(c, "id");
  const recheck = () => recheckKey(c);
  const storing = storeUpload(
    c.env,
    viewerOfRequest(c),
    id,
    readPathParam(c, "name"),
    c.req.raw,
    recheck,
  );
  // The clean-up continues if the client disconnects.
  c.executionCtx.waitUntil(storing);
  const stored = await storing;
  if (!stored.ok) return stored;
  const { file, isNew } = stored.value;
  return ok({
    data: uploadedFileView(requestOriginOf(c), id, file),
    status: isNew ? (201 as const) : 200,
  });
});

export const workerRoutes = answerOtherMethods(
  new Hono<AppEnv>()
    .post("/agents/tasks/claim", ...claim)
    .post("/agents/tasks/:id/report", ...report),
);
