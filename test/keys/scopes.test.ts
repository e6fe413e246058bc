import { beforeAll, describe, expect, it } from "vitest";
import { SCOPES, type Scope } from "../../src/domain/key.ts";
import { send } from "../support/client.ts";
import { keyWith } from "../support/keys.ts";
import { expectRefusal } from "../support/refusals.ts";
import { filled, ROUTES, type Route } from "../support/routes.ts";
import { stopClock } from "../support/tasks.ts";

const GUARDED = ROUTES.filter((route): route is Route & { scope: Scope } => route.scope !== null);

/** For each scope a key that holds it alone, and one that holds all the others. */
const keys = new Map<Scope, { alone: string; others: string }>();

/** A request that gets past the scope fails later, on its body or on what it names: it does nothing. */
function request({ method, path }: Route, key: string) {
  return send(method, filled(path), method === "GET" || method === "DELETE" ? undefined : {}, {
    key,
  });
}

describe("scopes", () => {
  beforeAll(async () => {
    stopClock();
    for (const scope of SCOPES) {
      const others = SCOPES.filter((one) => one !== scope);
      keys.set(scope, { alone: await keyWith([scope]), others: await keyWith(others) });
    }
  });

  describe.each(GUARDED)("$method $path asks for $scope", (route) => {
    it.each(SCOPES)("of a key that holds %s alone", async (scope) => {
      const answer = await request(route, keys.get(scope)?.alone ?? "");
      if (scope === route.scope) {
        expect([200, 201, 400, 404, 411], answer.text).toContain(answer.status);
      } else {
        expectRefusal(answer, 403, "INSUFFICIENT_SCOPE");
        expect(answer.body.error.message).toBe(`This key lacks the scope ${route.scope}.`);
      }
    });

    it("of a key that holds all the others", async () => {
      const answer = await request(route, keys.get(route.scope)?.others ?? "");
      expectRefusal(answer, 403, "INSUFFICIENT_SCOPE");
    });
  });

  it("every scope opens something", () => {
    const asked = new Set(GUARDED.map(({ scope }) => scope));
    expect(SCOPES.filter((scope) => !asked.has(scope))).toEqual([]);
  });

  it("/health asks for none", async () => {
    const answer = await send("GET", "/health", undefined, {
      key: keys.get("tasks:work")?.alone ?? "",
    });
    expect(answer.status).toBe(200);
  });
});
