import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { del, get, patch, post } from "../../support/client.ts";
import { keyWith, UNMANAGING } from "../../support/keys.ts";
import { expectProblems } from "../../support/expect-errors.ts";
import { passTime, stopClock } from "../../support/tasks.ts";

beforeAll(stopClock);

/** A public IP address, so no name is resolved. No request is sent to it. */
const URL = "https://93.184.216.34/hook";

async function make(body: JsonObject = {}) {
  const answer = await post("/agents/webhooks", { url: URL, ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** The fields of the problems in a 400 response. */
async function problemsOf(body: JsonObject | string): Promise<string[]> {
  const answer = await post("/agents/webhooks", body);
  expect(answer.status, answer.text).toBe(400);
  return answer.body.error.details.map(({ path }: { path: string }) => path);
}

describe("POST /agents/webhooks", () => {
  it("creating a webhook returns 201 with the webhook, its Location and its secret", async () => {
    const answer = await post("/agents/webhooks", {
      url: URL,
      types: ["completed", "failed", "completed"],
      agentId: "researcher",
      teamId: "insights",
      description: "The night watch",
    });
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-f]{16}$/),
      format: "standard",
      url: URL,
      types: ["completed", "failed"],
      agentId: "researcher",
      teamId: "insights",
      description: "The night watch",
      enabled: true,
      createdBy: "root",
      createdAt: new Date().toISOString(),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(answer.headers.get("Location")).toBe(`https://bosun.test/agents/webhooks/${data.id}`);
    const { secret: _secret, ...capabilities } = data;
    expect((await get(`/agents/webhooks/${data.id}`)).body.data).toEqual({
      ...capabilities,
      deliveries: { pending: 0, consecutiveFailures: 0 },
    });
  });

  it.each([
    ["http://127.0.0.1/hook", "a loopback address"],
    ["http://localhost:8787/", "localhost"],
    ["https://10.1.2.3/hook", "a private address"],
    ["https://169.254.169.254/latest/meta-data", "metadata"],
    ["https://[::1]/", "a loopback address"],
    ["https://[::ffff:127.0.0.1]/", "which is not allowed"],
    ["https://0x7f000001/", "a loopback address"],
    ["https://receiver.internal/", "which is not allowed"],
    ["https://user:password@93.184.216.34/", "user name or password"],
    ["ftp://93.184.216.34/", "https://"],
    ["not a url", "must be an absolute URL"],
  ])("the URL %s is rejected when a webhook is created or changed", async (url, reason) => {
    const answer = await post("/agents/webhooks", { url });
    expect([answer.status, answer.body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(answer.body.error.details).toEqual([
      { path: "url", message: expect.stringContaining(reason) },
    ]);
    const { id } = await make();
    const moved = await patch(`/agents/webhooks/${id}`, { url });
    expect(moved.body.error.details[0].message).toContain(reason);
    expect((await get(`/agents/webhooks/${id}`)).body.data.url).toBe(URL);
  });

  it("an invalid body is rejected, and the error lists every problem in it", async () => {
    expect(await problemsOf({})).toEqual(["url"]);
    expect(await problemsOf({ url: 5, types: ["done"], agentId: "", more: 1 })).toEqual(
      expect.arrayContaining(["url", "types[0]", "agentId", "more"]),
    );
    expect(await problemsOf({ url: URL, types: [] })).toEqual(["types"]);
    expect(await problemsOf({ url: URL, types: null })).toEqual(["types"]);
    expect(await problemsOf({ url: URL, description: "x".repeat(2_001) })).toEqual(["description"]);
    expect(await problemsOf({ url: `${URL}?q=${"x".repeat(9_000)}` })).toEqual(["url"]);
    expect(await problemsOf({ url: `${URL}#part` })).toEqual(["url"]);
    expect(await problemsOf("[]")).toEqual(["body"]);
  });

  it.each([
    ["no prefix", btoa("x".repeat(32))],
    ["too short", `whsec_${btoa("x".repeat(23))}`],
    ["too long", `whsec_${btoa("x".repeat(65))}`],
    ["not base64", `whsec_${"%".repeat(40)}`],
    ["no padding", `whsec_${btoa("x".repeat(31)).replace(/=+$/, "")}`],
    ["not a string", 5],
    ["null", null],
  ])("an invalid secret (%s) is rejected, and the error does not repeat it", async (_, secret) => {
    const answer = await post("/agents/webhooks", { url: URL, secret });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, "secret"]);
    if (typeof secret === "string") expect(answer.text).not.toContain(secret);
  });

  it("secrets of 24 to 64 bytes are accepted unchanged", async () => {
    for (const bytes of [24, 25, 26, 64]) {
      const secret = `whsec_${btoa("k".repeat(bytes))}`;
      expect((await make({ secret })).secret).toBe(secret);
    }
  });

  it("a webhook for an unknown agent or team is rejected with 404", async () => {
    const noAgent = await post("/agents/webhooks", { url: URL, agentId: "nobody" });
    expect([noAgent.status, noAgent.body.error.code]).toEqual([404, "AGENT_NOT_FOUND"]);
    const noTeam = await post("/agents/webhooks", { url: URL, teamId: "nowhere" });
    expect([noTeam.status, noTeam.body.error.code]).toEqual([404, "TEAM_NOT_FOUND"]);
    const { id } = await make();
    expect((await patch(`/agents/webhooks/${id}`, { agentId: "nobody" })).status).toBe(404);
  });
});

describe("PATCH /agents/webhooks/:id", () => {
  it("a PATCH of a webhook changes only the fields in the request", async () => {
    const before = await make({ types: ["failed"], description: "old", agentId: "researcher" });
    const { secret: _secret, agentId: _agentId, ...rest } = before;
    const answer = await patch(`/agents/webhooks/${before.id}`, {
      description: "new",
      agentId: null,
      teamId: "insights",
    });
    expect(answer.body.data).toEqual({ ...rest, description: "new", teamId: "insights" });
  });

  it.each([
    {},
    { url: null },
    { enabled: "yes" },
    { enabled: null },
    { secret: "x" },
    { types: [] },
    { id: "x" },
  ])("a PATCH of a webhook with %j is rejected", async (body) => {
    const { id } = await make();
    expect((await patch(`/agents/webhooks/${id}`, body)).status).toBe(400);
  });
});

describe("an unknown webhook", () => {
  it("an unknown or deleted webhook gets 404 on every path", async () => {
    const { id } = await make();
    await del(`/agents/webhooks/${id}`);
    for (const one of [id, "whk_0", "x", "a".repeat(64)]) {
      const path = `/agents/webhooks/${one}`;
      const answers = [
        await get(path),
        await patch(path, { enabled: true }),
        await del(path),
        await post(`${path}/secret`),
        await post(`${path}/test`),
        await get(`${path}/deliveries`),
        await get(`${path}/deliveries/dlv_1`),
        await post(`${path}/deliveries/dlv_1/redeliver`),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.body.error.code]).toEqual([404, "WEBHOOK_NOT_FOUND"]);
      }
    }
  });

  it("an unknown delivery gets 404 when it is read or redelivered", async () => {
    const { id } = await make();
    for (const one of ["dlv_1", "dlv_", "dlv_01", "dlv_-1", "1", "dlv_99999999999999999999"]) {
      const path = `/agents/webhooks/${id}/deliveries/${one}`;
      for (const answer of [await get(path), await post(`${path}/redeliver`)]) {
        expect([answer.status, answer.body.error.code]).toEqual([404, "DELIVERY_NOT_FOUND"]);
      }
    }
  });
});

describe("a webhook's format, template and headers", () => {
  it.each([
    ["an unknown format", { format: "a2a" }, { format: /standard, slack, teams, discord/ }],
    ["a broken template", { template: "\n {{ title" }, { template: /\(line 2, column 2\)$/ }],
    ["an unavailable filter", { template: "{{ title | raw }}" }, { template: /raw/ }],
    [
      "a template that is too long",
      { template: "x".repeat(20_001) },
      { template: /at most 20000/ },
    ],
    ["headers that are not an object", { headers: "s3cret" }, { headers: /must be an object/ }],
    ["a header of the connection", { headers: { Host: "s3cret" } }, { "headers.Host": /reserved/ }],
    [
      "a header of the signature",
      { headers: { "Webhook-Signature": "s3cret" } },
      { "headers.Webhook-Signature": /reserved/ },
    ],
    [
      "a content type",
      { headers: { "content-type": "s3cret" } },
      { "headers.content-type": /reserved/ },
    ],
    [
      "a header twice",
      { headers: { "X-A": "s3cret", "x-a": "s3cret" } },
      { "headers.x-a": /is a duplicate/ },
    ],
    ["a line break", { headers: { "X-A": "s3cret\r\nX-B: 1" } }, { "headers.X-A": /line breaks/ }],
    [
      "a value that is not a string",
      { headers: { "X-A": 5 } },
      { "headers.X-A": /must be a string/ },
    ],
  ])("a webhook with %s is rejected, and no value is repeated", async (_, body, problems) => {
    const answer = await post("/agents/webhooks", { url: URL, ...body });
    expectProblems(answer, problems);
    expect(answer.text).not.toContain("s3cret");
    const { id } = await make();
    const changed = await patch(`/agents/webhooks/${id}`, body);
    expectProblems(changed, problems);
  });

  it("a webhook's template is validated again when its format changes", async () => {
    const { id } = await make({ template: '{"a": "{{ title | escape_slack }}"}' });
    const changed = await patch(`/agents/webhooks/${id}`, { format: "slack" });
    expectProblems(changed, { template: /undefined filter: escape_slack/ });
  });
});

describe("the limit on webhooks per key", () => {
  it("a key can create 20 webhooks, the error for more states the limit, and other keys are not affected", async () => {
    const key = await keyWith(["webhooks:manage"]);
    const other = await keyWith(["webhooks:manage"]);
    const all = Array.from({ length: 22 }, () => post("/agents/webhooks", { url: URL }, { key }));
    const answers = await Promise.all(all);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(2);
    for (const { body } of refused) {
      expect(body.error.code).toBe("WEBHOOK_LIMIT_REACHED");
      expect(body.error.message).toContain("This key has reached its limit of 20 webhooks");
    }
    expect((await post("/agents/webhooks", { url: URL }, { key: other })).status).toBe(201);
    expect((await post("/agents/webhooks", { url: URL })).status).toBe(201);
  });
});

describe("the list of webhooks", () => {
  it("webhooks are listed in pages, newest first, and the lists of webhooks and deliveries reject invalid parameters", async () => {
    passTime(1);
    const older = await make();
    passTime(1);
    const ids = [(await make()).id, older.id];
    const { data } = (await get("/agents/webhooks?limit=100")).body;
    expect(data.webhooks).toHaveLength(data.total);
    const all = data.webhooks.map((one: { id: string }) => one.id);
    expect(all.slice(0, 2)).toEqual(ids);
    const second = (await get("/agents/webhooks?limit=1&offset=1")).body.data;
    expect(second).toMatchObject({ total: data.total, limit: 1, offset: 1 });
    expect(second.webhooks).toEqual([data.webhooks[1]]);
    expect((await get("/agents/webhooks?limit=0")).status).toBe(400);
    expect((await get(`/agents/webhooks/${ids[0]}/deliveries?status=late`)).status).toBe(400);
    expect((await get(`/agents/webhooks/${ids[0]}/deliveries?limit=101`)).status).toBe(400);
  });

  it("a key without webhooks:manage cannot list webhooks", async () => {
    const key = await keyWith(UNMANAGING);
    expect((await get("/agents/webhooks", { key })).status).toBe(403);
    const manager = await keyWith(["webhooks:manage"]);
    expect((await get("/agents/webhooks", { key: manager })).status).toBe(200);
  });

  it("the service accepts at most 100 webhooks, and the error for more says what to do", async () => {
    const { total } = (await get("/agents/webhooks")).body.data;
    await env.DB.prepare(
      `INSERT INTO webhooks (id, format, url, sealed, created_by, created_at, enabled)
       SELECT 'whk_' || printf('%016x', value), 'standard', ?, '', 'root', 0, 0 FROM json_each(?)`,
    )
      .bind(URL, JSON.stringify(Array.from({ length: 100 - total }, (_, index) => index)))
      .run();
    const answers = await Promise.all([
      post("/agents/webhooks", { url: URL }),
      post("/agents/webhooks", { url: URL }),
    ]);
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([409, "WEBHOOK_LIMIT_REACHED"]);
      expect(body.error.message).toContain("Delete an unused webhook");
    }
    expect((await get("/agents/webhooks")).body.data.total).toBe(100);
  });
});
