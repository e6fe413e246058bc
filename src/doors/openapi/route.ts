import type * as z from "zod";
import type { Endpoint, Inputs } from "../../http/endpoint.ts";

/** A route as the app knows it: `path` with parameters as `:id`. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly inputs: Inputs<z.ZodObject, z.ZodType>;
}

/** The endpoints among an app's routes; what answers OPTIONS and wrong methods is left out. */
export function endpointsOf(
  routes: readonly { readonly method: string; readonly path: string; readonly handler: unknown }[],
): Route[] {
  return routes.flatMap(({ method, path, handler }) =>
    isEndpoint(handler) ? [{ method, path, inputs: handler.inputs }] : [],
  );
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The names of a path's parameters. */
export function pathParameters({ path }: Route): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** A path as OpenAPI writes it: `/agents/tasks/{id}`. */
export function templated({ path }: Route): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function isEndpoint(handler: unknown): handler is Endpoint {
  return typeof handler === "function" && "inputs" in handler;
}
