import type { Viewer } from "../domain/key.ts";
import type { AppContext } from "./context.ts";

/** A parameter of the path, which the route's own pattern holds. */
export function param(c: AppContext, name: string): string {
  return c.req.param(name) ?? "";
}

/** Where the service was reached: what links in its answers begin with. */
export function originOf(c: AppContext): string {
  return new URL(c.req.url).origin;
}

/** Whose eyes the key stands for. */
export function viewerOf(c: AppContext): Viewer {
  const { agentId, teamId } = c.get("key");
  return { agentId, teamId };
}
