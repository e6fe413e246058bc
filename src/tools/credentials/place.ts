import type { Connector, CredentialPlace } from "../../domain/connector.ts";
import type { Problem } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { ApiKeyBody } from "./wire.ts";

/** RFC 6750, 2.1: where systems take tokens unless they say otherwise. */
const BEARER: CredentialPlace = { in: "header", name: "Authorization", prefix: "Bearer " };

/** Where the system behind a tool wants its credential. */
export function placeOf(connector: Connector): CredentialPlace {
  return connector.type === "builtin" ? BEARER : (connector.credential ?? BEARER);
}

/** Where an API key goes: where its owner says, and as far as nothing is said, where the tool does. */
export function apiKeyPlace(
  connector: Connector,
  body: ApiKeyBody,
): Result<CredentialPlace, Problem[]> {
  const usual = placeOf(connector);
  const where = body.in ?? usual.in;
  const bearer = where === "header" ? BEARER : null;
  const name = body.name ?? (where === usual.in ? usual.name : bearer?.name);
  if (name === undefined) {
    return fail([
      { path: "name", message: "is required: the parameter of the query that holds the key" },
    ]);
  }
  if (where === "query" && body.prefix !== undefined && body.prefix !== "") {
    return fail([{ path: "prefix", message: "must be left out: a query holds the key alone" }]);
  }
  const isAt = (place: CredentialPlace | null) =>
    place?.in === where && place.name.toLowerCase() === name.toLowerCase();
  const known = [usual, bearer].find(isAt);
  const prefix = body.prefix ?? known?.prefix ?? "";
  if (prefix !== "" && body.value.startsWith(prefix)) {
    const message = `must not begin with ${JSON.stringify(prefix)}, which is put before it`;
    return fail([{ path: "value", message }]);
  }
  return ok({ in: where, name, prefix });
}
