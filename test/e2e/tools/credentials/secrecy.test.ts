import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../../../src/index.ts";
import { renewToken } from "../../../../src/tools/credentials/renew-token.ts";
import { answerOf, get, ORIGIN, post, ROOT, send, type Answer } from "../../../support/client.ts";
import { passTime } from "../../../support/tasks.ts";
import * as world from "./fixtures.ts";

const NEW_KEY = `new:${btoa("another-key-of-exactly-32-bytes!")}`;
const ROTATED: Env = { ...env, CREDENTIALS_KEY: `${NEW_KEY}, ${env.CREDENTIALS_KEY}` };
const WITH_NEW_KEY: Env = { ...env, CREDENTIALS_KEY: NEW_KEY };

/** Reads a tool's credentials from a Worker with these bindings. */
async function look(toolId: string, bindings: Env): Promise<Answer> {
  const headers = { Authorization: `Bearer ${ROOT}` };
  const request = new Request(`${ORIGIN}${world.at(toolId)}`, { headers });
  return answerOf(await worker.fetch(request, bindings, createExecutionContext()));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("rotating CREDENTIALS_KEY", () => {
  it("credentials sealed with the old key can still be opened, and are sealed with the new key when used", async () => {
    const toolId = await world.toolOf();
    await world.putCredentials(toolId, { type: "api-key", value: "k" });
    const before = await world.rowOf(toolId);
    expect((await look(toolId, ROTATED)).body.data.keyId).toBe("test-1");
    expect(await world.rowOf(toolId)).toEqual(before);
    expect((await world.expectAuthorized(toolId, ROTATED)).value).toBe("Bearer k");
    const after = await world.rowOf(toolId);
    expect(after.sealed).not.toBe(before.sealed);
    expect({ ...after, sealed: before.sealed }).toEqual(before);
    expect((await look(toolId, ROTATED)).body.data.keyId).toBe("new");
    expect((await world.expectAuthorized(toolId, WITH_NEW_KEY)).value).toBe("Bearer k");
    expect((await world.rowOf(toolId)).sealed).toBe(after.sealed);
  });

  it("a renewed token is sealed with the new key", async () => {
    const clientId = await world.client({ secret: "s" });
    const toolId = await world.toolOf();
    const { tokenUrl, type } = { tokenUrl: world.TOKEN_URL, type: "oauth-client-credentials" };
    await world.putCredentials(toolId, { type, tokenUrl, clientId, clientSecret: "s" });
    const { revision } = await world.rowOf(toolId);
    const outcome = await renewToken(ROTATED, toolId, revision, { renewal: null });
    expect(outcome).toMatchObject({ ok: true, value: { revision: revision + 1 } });
    expect((await look(toolId, WITH_NEW_KEY)).body.data).toMatchObject({ keyId: "new" });
    expect(
      await world.isAccepted(clientId, await world.expectAuthorized(toolId, WITH_NEW_KEY)),
    ).toBe(true);
  });

  it("without the old key, new credentials are requested, and they work", async () => {
    const toolId = await world.toolOf();
    await world.putCredentials(toolId, { type: "api-key", value: "k" });
    vi.spyOn(console, "warn").mockReturnValue();
    expect(await world.authorizeCall(toolId, WITH_NEW_KEY)).toMatchObject({
      failure: { kind: "credentials_required", reason: expect.stringContaining("sealed with") },
    });
    expect((await look(toolId, WITH_NEW_KEY)).status).toBe(424);
    await world.putCredentials(toolId, { type: "api-key", value: "k2" });
    expect((await world.expectAuthorized(toolId)).value).toBe("Bearer k2");
  });

  it("a connection that began under the old key completes under the new one", async () => {
    const clientId = await world.client({ authentication: "none" });
    const toolId = await world.toolOf();
    await world.putAuthorizationCode(toolId, clientId);
    const to = await world.consent(await world.connectUrl(toolId));
    const request = new Request(to, { headers: { Cookie: world.cookieFor(to) } });
    const back = await worker.fetch(request, ROTATED, createExecutionContext());
    expect(back.status).toBe(200);
    expect((await look(toolId, WITH_NEW_KEY)).body.data).toMatchObject({ connected: true });
  });
});

describe("sealing the same credentials again", () => {
  it("sealing the same credentials again produces a different string each time", async () => {
    const toolId = await world.toolOf();
    const seals = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      await world.putCredentials(toolId, { type: "api-key", value: "k" });
      seals.add((await world.rowOf(toolId)).sealed);
    }
    expect(seals.size).toBe(20);
  });
});

describe("keeping secrets and tokens secret", () => {
  const SECRETS = ["first-api-key-secret", "client-secret-of-mine", "refresh-token-of-mine"];
  const METHODS = ["debug", "log", "info", "warn", "error"] as const;

  it("no response, header, log line or column contains a secret or a token after any operation or failure", async () => {
    const logs = METHODS.map((method) => vi.spyOn(console, method).mockReturnValue());
    const [apiKey = "", clientSecret = "", refreshToken = ""] = SECRETS;
    const clientId = await world.client({ secret: clientSecret, refreshToken });
    const client = { tokenUrl: world.TOKEN_URL, clientId, clientSecret };
    const bodies = [
      { type: "api-key", value: apiKey },
      { type: "oauth-client-credentials", ...client },
      { type: "oauth-refresh-token", ...client, refreshToken },
      {
        type: "oauth-authorization-code",
        ...client,
        authorizationUrl: world.AUTHORIZATION_URL,
      },
    ] as const;
    const answers: Answer[] = [];
    const outcomes: unknown[] = [];
    const codes: string[] = [];
    for (const body of bodies) {
      const toolId = await world.toolOf();
      answers.push(await world.put(toolId, body), await get(world.at(toolId)));
      for (const field of Object.keys(body)) {
        answers.push(await world.put(toolId, { ...body, [field]: [apiKey, clientSecret] }));
        answers.push(await world.put(toolId, { ...body, [field]: `${clientSecret}\n` }));
        answers.push(await world.put(toolId, { ...body, [`${field}x`]: refreshToken }));
      }
      answers.push(await post(`${world.at(toolId)}/connect`));
      if (body.type === "oauth-authorization-code") {
        const to = await world.consent(await world.connectUrl(toolId));
        codes.push(to.searchParams.get("code") ?? "");
        answers.push(
          await world.returnFromConsent(to),
          await world.returnFromConsent(to, "text/html"),
        );
      }
      await world.expectAuthorized(toolId);
      answers.push(await get(world.at(toolId)), await get(`/agents/tools/${toolId}`));
      passTime(3_600_000);
      await world.client({ failure: { status: 500, body: "down" } }, clientId);
      outcomes.push(await rejectionOf(toolId));
      await world.client(
        { failure: { status: 400, body: { error: refreshToken, error_description: apiKey } } },
        clientId,
      );
      outcomes.push(await rejectionOf(toolId));
      await world.client({ failure: { status: 400, body: { error: "invalid_grant" } } }, clientId);
      outcomes.push(await rejectionOf(toolId));
      await world.client({ failure: null }, clientId);
      answers.push(await get(world.at(toolId)), await send("DELETE", world.at(toolId)));
      answers.push(await world.put(toolId, body));
      outcomes.push(await world.authorizeCall(toolId, WITH_NEW_KEY));
    }
    const { accessTokens, refreshTokens } = await world.memoryOf(clientId);
    expect(accessTokens.length).toBeGreaterThanOrEqual(3);
    expect(refreshTokens.length).toBeGreaterThanOrEqual(2);
    const secrets = [...SECRETS, ...accessTokens, ...refreshTokens, ...codes];
    const rows = await env.DB.prepare("SELECT * FROM credentials").all();
    const seen = [
      ...answers.flatMap(({ text, headers }) => [text, JSON.stringify([...headers])]),
      JSON.stringify(outcomes),
      JSON.stringify(rows.results),
      ...logs.flatMap(({ mock }) => mock.calls.map(inFull)),
    ];
    expect(rows.results.length).toBeGreaterThanOrEqual(bodies.length);
    expect(logs.some(({ mock }) => mock.calls.length > 0)).toBe(true);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(seen.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  async function rejectionOf(toolId: string): Promise<unknown> {
    const outcome = await world.authorizeCall(toolId);
    return outcome.ok ? null : outcome;
  }

  /** Formats a log entry, including the parts of errors that JSON omits. */
  function inFull(entry: readonly unknown[]): string {
    return JSON.stringify(entry, (_key, value: unknown) =>
      value instanceof Error
        ? [value.message, value.stack, value.cause, Object.entries(value)]
        : value,
    );
  }
});
