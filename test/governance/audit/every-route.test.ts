import { beforeAll, describe, expect, it } from "vitest";
import type { AuditAction } from "../../../src/governance/model/audit-entry.ts";
import { get, post, ROOT } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { filled, ROUTES, type Route } from "../../support/routes.ts";
import {
  forgetKeyKinds,
  keyKindOf,
  ROOT_KIND,
  type KeyKind,
} from "../../authorization/key-kinds.ts";
import type { RequestCase, RequestCases } from "../../authorization/request-case.ts";
import { MANAGEMENT_ENDPOINTS } from "../../authorization/rest-management-endpoints.ts";
import { sendRequest } from "../../authorization/send-request.ts";
import { OWN_TENANT, registerTenants } from "../../authorization/tenants.ts";
import { isolateNetwork } from "../../fuzz/openapi/third-parties.ts";
import { rowsOf } from "./fixtures.ts";

/** What a successful request to each endpoint that is not a GET records. */
const RECORDED: Readonly<Record<string, readonly AuditAction[]>> = {
  "POST /agents/keys": ["key.created"],
  "PATCH /agents/keys/:id": ["key.changed"],
  "DELETE /agents/keys/:id": ["key.revoked"],
  "POST /agents/sessions": ["session.created"],
  "DELETE /agents/sessions": ["session.ended"],
  "DELETE /agents/sessions/current": ["session.ended"],
  "DELETE /agents/sessions/:id": ["session.ended"],
  "POST /agents/tools": ["tool.created"],
  "POST /agents/tools/import": ["tool.imported"],
  "PATCH /agents/tools/:id": ["tool.changed"],
  "DELETE /agents/tools/:id": ["tool.retired"],
  "POST /agents/tools/access": ["grant.created"],
  "DELETE /agents/tools/access/:agentId/:toolId": ["grant.revoked"],
  "PUT /agents/tools/:id/credentials": ["credentials.set"],
  "DELETE /agents/tools/:id/credentials": ["credentials.deleted"],
  "POST /agents/webhooks": ["webhook.created"],
  "PATCH /agents/webhooks/:id": ["webhook.changed"],
  "DELETE /agents/webhooks/:id": ["webhook.deleted"],
  "POST /agents/webhooks/:id/secret": ["webhook.secret_rotated"],
  "POST /agents/policies": ["policy.created"],
  "PUT /agents/policies/:id": ["policy.changed"],
  "PATCH /agents/policies/:id": ["policy.changed"],
  "DELETE /agents/policies/:id": ["policy.deleted"],
  "POST /agents/limits": ["limit.created"],
  "PUT /agents/limits/:id": ["limit.changed"],
  "PATCH /agents/limits/:id": ["limit.changed"],
  "DELETE /agents/limits/:id": ["limit.deleted"],
  "PUT /agents/teams/:teamId": ["team.changed"],
  "DELETE /agents/teams/:teamId": ["team.deleted"],
  "POST /agents": ["agent.created"],
  "PATCH /agents/:agentId": ["agent.changed"],
  // An enabled agent is disabled in a transaction of its own, before its queue is closed.
  "DELETE /agents/:agentId": ["agent.changed", "agent.deleted"],
  "POST /agents/:agentId/pause": ["agent.paused"],
  "POST /agents/:agentId/resume": ["agent.resumed"],
  "POST /agents/pause-all": ["agent.all_paused"],
  "POST /agents/resume-all": ["agent.all_resumed"],
  // These change no configuration: the first one returns a link that is not stored.
  "POST /agents/tools/:id/credentials/connect": [],
  "POST /agents/webhooks/:id/test": [],
  "POST /agents/webhooks/:id/deliveries/:deliveryId/redeliver": [],
  "POST /agents/audit/verify": [],
  "POST /agents/policies/simulate": [],
  "POST /agents/approvals/:id/approve": ["approval.approved"],
  "POST /agents/approvals/:id/deny": ["approval.denied"],
  "POST /agents/approvals/:id/decision": ["approval.denied"],
  "POST /agents/approvals/:id/link": [],
};

/** Signs in with a key of its own and returns the headers of the session. */
async function signIn(): Promise<{
  id: string;
  headers: Record<string, string>;
  body: { apiKey: string };
}> {
  const apiKey = await keyWith(["tasks:read"]);
  const from = { "CF-Connecting-IP": `198.51.100.${(signIns += 1)}` };
  const answer = await post("/agents/sessions", { apiKey }, { key: null, headers: from });
  const [cookie = ""] = (answer.headers.get("Set-Cookie") ?? "").split(";");
  const id: string = answer.body.data.session.sessionId;
  const headers = {
    Cookie: cookie,
    "Sec-Fetch-Site": "same-origin",
    "X-Bosun-Console": "1",
    "Content-Type": "application/json",
  };
  return { id, headers, body: { apiKey } };
}
let signIns = 0;

const SESSION_CASES: RequestCases = {
  "POST /agents/sessions": async () => ({ body: { apiKey: ROOT }, status: 201 }),
  "DELETE /agents/sessions": async () => ({ headers: (await signIn()).headers }),
  "DELETE /agents/sessions/current": async () => ({ headers: (await signIn()).headers }),
  "DELETE /agents/sessions/:id": async () => ({
    values: { id: (await signIn()).id },
    missing: "0".repeat(64),
  }),
};

const CASES: RequestCases = { ...MANAGEMENT_ENDPOINTS, ...SESSION_CASES };

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Work on tasks has its own log, and calls of tools change no configuration. */
const CHANGING = ROUTES.filter(
  ({ method, path }) =>
    method !== "GET" && !path.startsWith("/agents/tasks") && !path.endsWith("/invoke"),
);

async function caseOf(route: Route): Promise<RequestCase> {
  const build = CASES[nameOf(route)];
  if (build === undefined) throw new Error(`${nameOf(route)} has no request case`);
  return build(OWN_TENANT);
}

function sendCase(
  { method, path }: Route,
  { values, query = "", body, headers }: RequestCase,
  { authorization }: Pick<KeyKind, "authorization"> = ROOT_KIND,
) {
  const isSession =
    headers?.["Cookie"] !== undefined || (path === "/agents/sessions" && method === "POST");
  return sendRequest(
    {
      method,
      path: `${filled(path, values)}${query}`,
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
    },
    isSession ? null : authorization,
  );
}

beforeAll(() => isolateNetwork());
beforeAll(forgetKeyKinds);
beforeAll(registerTenants);

describe("the audit log and the routes", () => {
  it("every endpoint that is not a GET states what it records", () => {
    expect(Object.keys(RECORDED).toSorted()).toEqual(CHANGING.map(nameOf).toSorted());
  });

  it.each(CHANGING.map((route) => [nameOf(route), route] as const))(
    "a successful request to %s writes exactly the rows of its changes",
    async (name, route) => {
      const prepared = await caseOf(route);
      const { outcome, rows } = await rowsOf(() => sendCase(route, prepared));
      expect(outcome.status).toBe(prepared.status ?? 200);
      expect(rows.map(({ action }) => action)).toEqual(RECORDED[name]);
      for (const row of rows) expect(row.requestId).toBe(outcome.headers.get("X-Request-Id"));
    },
  );

  it.each(
    CHANGING.filter(({ scope }) => scope !== null).map((route) => [nameOf(route), route] as const),
  )(
    "a request to %s that is rejected for its key, its body or its resource writes no row",
    async (_, route) => {
      const prepared = await caseOf(route);
      const reader = await keyKindOf("unbound", ["tasks:read"]);
      const forbidden = await rowsOf(() => sendCase(route, prepared, reader));
      expect([forbidden.outcome.status, forbidden.rows]).toEqual([403, []]);
      if (prepared.body !== undefined) {
        const body = { thisFieldDoesNotExist: true };
        const invalid = await rowsOf(() => sendCase(route, { ...prepared, body }));
        expect(invalid.rows).toEqual([]);
        // Endpoints without a body ignore it.
        if (invalid.outcome.status !== 400) expect(RECORDED[nameOf(route)]).toEqual([]);
      }
      const [first] = Object.keys(prepared.values ?? {});
      if (prepared.missing === undefined || first === undefined || route.method === "PUT") return;
      const again = await caseOf(route);
      const values = { ...again.values, [first]: prepared.missing };
      const missing = await rowsOf(() => sendCase(route, { ...again, values }));
      expect([missing.outcome.status, missing.rows]).toEqual([404, []]);
    },
  );

  it("a sign-in with an invalid key writes no row", async () => {
    const { outcome, rows } = await rowsOf(() =>
      post(
        "/agents/sessions",
        { apiKey: `bsn_${"7".repeat(16)}_${"5a".repeat(32)}` },
        { key: null },
      ),
    );
    expect([outcome.status, rows]).toEqual([401, []]);
  });

  it("a list writes no row, and an export writes one", async () => {
    expect((await rowsOf(() => get("/agents/audit"))).rows).toEqual([]);
    const { rows } = await rowsOf(() => get("/agents/audit?format=ndjson"));
    expect(rows.map(({ action }) => action)).toEqual(["audit.exported"]);
  });
});
