import type { Hono } from "hono";
import { database } from "../../db/client.ts";
import { entityTag } from "../../domain/entity-tag.ts";
import type { Failure } from "../../domain/failure.ts";
import { fail, ok } from "../../domain/result.ts";
import type { WholeTool } from "../../domain/tool-changes.ts";
import type { AppContext, AppEnv } from "../../http/context.ts";
import { endpoint, resource, type Endpoint } from "../../http/endpoint.ts";
import { readIfMatch } from "../../http/if-match.ts";
import { param } from "../../http/named.ts";
import type { Reply } from "../../http/envelope.ts";
import { importTool, type Imported } from "../import/import.ts";
import { findTool } from "../catalogue.ts";
import { toolView, wholeView } from "../view.ts";
import { changeTool, registerTool, retireTool } from "./register.ts";
import { changeBody, importBody, registerBody } from "./wire.ts";

/** POST /agents/tools. */
export const register = endpoint(
  { scope: "tools:manage", body: registerBody },
  async (c, { body }) => {
    const registered = await registerTool(c.env, body, c.get("key").id);
    return registered.ok ? ok(created(c, registered.value)) : registered;
  },
);

/** PATCH /agents/tools/:id. */
export const change = endpoint({ scope: "tools:manage", body: changeBody }, async (c, { body }) => {
  const id = param(c, "id");
  const ifMatch = readIfMatch(c.req.raw.headers);
  if (!ifMatch.ok) return ifMatch;
  const changes = await changeTool(c.env, id, body, ifMatch.value, c.get("key").id);
  if (!changes.ok) return changes;
  const tool = await findTool(database(c.env.DB), id, null, true);
  if (tool === null) return fail<Failure>({ kind: "not_found", what: "tool", id });
  const headers = { ETag: entityTag(tool.version) };
  return ok({ data: { ...toolView(tool, true), changes: changes.value }, headers });
});

/** DELETE /agents/tools/:id. */
export const retire = endpoint({ scope: "tools:manage" }, async (c) => {
  const id = param(c, "id");
  const retired = await retireTool(c.env, id);
  return retired.ok ? ok({ data: { id, retired: true } }) : retired;
});

/** POST /agents/tools/import, at once or as a stream of its progress. */
export function importRoutes(app: Hono<AppEnv>): void {
  resource(app, "/agents/tools/import", { POST: importFrom });
}

const importFrom: Endpoint = endpoint(
  { scope: "tools:manage", body: importBody, streams: true },
  async (c, { body }, onProgress) => {
    const imported = await importTool(c.env, body, c.get("key").id, onProgress);
    if (!imported.ok) return imported;
    const { isNew, dryRun, whole } = imported.value;
    const data = importView(imported.value);
    return ok(isNew && !dryRun ? { ...created(c, whole), data } : { data });
  },
);

function importView({ whole, changes, notes, dryRun }: Imported): object {
  return { dryRun, changes, notes, tool: wholeView(whole) };
}

function created(c: AppContext, whole: WholeTool): Reply {
  const location = new URL(`/agents/tools/${encodeURIComponent(whole.tool.id)}`, c.req.url).href;
  return { data: wholeView(whole), status: 201, headers: { Location: location } };
}
