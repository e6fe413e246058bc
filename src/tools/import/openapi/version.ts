import type { JsonObject } from "../../../domain/json.ts";
import { shown, type Problem } from "../../../domain/problem.ts";

/** Why a document's version cannot be read, or null for OpenAPI 3.0, 3.1 and 3.2. */
export function checkVersion(document: JsonObject): Problem | null {
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && /^3\.[012](?:\.|-|$)/.test(openapi)) return null;
  if (openapi === undefined && swagger !== undefined) {
    const message = `is Swagger ${shown(swagger)}; convert the document to OpenAPI 3 first`;
    return { path: "document.swagger", message };
  }
  const message = `must be the version of an OpenAPI 3.0, 3.1 or 3.2 document, got ${shown(openapi)}`;
  return { path: "document.openapi", message };
}

/** Whether schemas are still OpenAPI's own dialect instead of JSON Schema 2020-12. */
export function isBefore31(document: JsonObject): boolean {
  return typeof document["openapi"] === "string" && document["openapi"].startsWith("3.0");
}
