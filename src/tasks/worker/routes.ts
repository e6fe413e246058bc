import type { Hono } from "hono";
import { ok } from "../../domain/result.ts";
import { endedKey } from "../../http/auth.ts";
import type { AppEnv } from "../../http/context.ts";
import { endpoint, resource } from "../../http/endpoint.ts";
import { originOf, param, viewerOf } from "../../http/named.ts";
import { claimTasks } from "./claim.ts";
import { reportOn } from "./report.ts";
import { storeUpload } from "./upload.ts";
import { claimedView, fileView } from "./view.ts";
import * as wire from "./wire.ts";

/**
 * The rooms of agents' own processes: they claim tasks, report on them and hand files in. To be put
 * into the app before the tasks themselves, whose :id would take the word claim.
 */
export function workerRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/tasks/claim", { POST: claim });
  resource(app, "/agents/tasks/:id/report", { POST: report });
}

const claim = endpoint(
  { scope: "tasks:work", body: wire.claimBody, emptyBody: {} },
  async (c, { body }) => {
    const claimed = await claimTasks(c.env, c.get("key"), body, {
      signal: c.req.raw.signal,
      waitUntil: (promise) => c.executionCtx.waitUntil(promise),
    });
    if (!claimed.ok) return claimed;
    return ok({
      data: { tasks: claimed.value.map((one) => claimedView(originOf(c), viewerOf(c), one)) },
    });
  },
);

const report = endpoint({ scope: "tasks:work", body: wire.reportBody }, async (c, { body }) => {
  const reported = await reportOn(c.env, viewerOf(c), param(c, "id"), body);
  return reported.ok ? ok({ data: reported.value }) : reported;
});

/** Lies beside the download of the same path. */
export const upload = endpoint({ scope: "tasks:work", ownQuery: null }, async (c) => {
  const id = param(c, "id");
  const recheckKey = () => endedKey(c);
  const storing = storeUpload(c.env, viewerOf(c), id, param(c, "name"), c.req.raw, recheckKey);
  // A client that goes away takes its request with it, but not the tidying up.
  c.executionCtx.waitUntil(storing);
  const stored = await storing;
  if (!stored.ok) return stored;
  const { file, isNew } = stored.value;
  return ok({ data: fileView(originOf(c), id, file), status: isNew ? (201 as const) : 200 });
});
