import { DOORS } from "./doors.ts";
import { openApiDocument } from "./document.ts";
import { OPERATIONS } from "./operations.ts";
import { endpointsOf } from "./route.ts";

/** The document of this very API, from the routes of its app. */
export function apiDocument(
  routes: Parameters<typeof endpointsOf>[0],
  version: string,
): ReturnType<typeof openApiDocument> {
  return openApiDocument([...endpointsOf(routes), ...DOORS], OPERATIONS, version);
}
