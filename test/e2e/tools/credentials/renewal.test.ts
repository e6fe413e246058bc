import { evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renewAuthorization } from "../../../../src/tools/credentials/authorization.ts";
import { tokenRefresherStub } from "../../../../src/tools/credentials/token-refresher.rpc.ts";
import { del, get } from "../../../support/client.ts";
import { passTime } from "../../../support/tasks.ts";
import * as world from "./fixtures.ts";

const SLOW_TOKEN_URL = `${world.TOKEN_URL}?delayMs=300`;

/** Creates a tool with its own OAuth client and a refresh token. */
async function refreshing(settings = {}, changes = {}) {
  const clientId = await world.client({ secret: "s", refreshToken: "first", ...settings });
  const toolId = await world.toolOf();
  const body = {
    type: "oauth-refresh-token",
    tokenUrl: world.TOKEN_URL,
    clientId,
    clientSecret: "s",
    refreshToken: "first",
    ...changes,
  };
  await world.putCredentials(toolId, body);
  return { clientId, toolId, body };
}

const requestsOf = async (clientId: string) => (await world.memoryOf(clientId)).requests;

async function renewed(toolId: string, revision: number) {
  const { tool } = await world.stored(toolId);
  const outcome = await renewAuthorization(env, tool, { type: "oauth-refresh-token", revision });
  if (!outcome.ok || outcome.value === null) throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("when a token is renewed", () => {
  it("a token is renewed a minute before it expires, and not earlier", async () => {
    const { toolId, clientId } = await refreshing({ expiresIn: 3_600 });
    const first = await world.expectAuthorized(toolId);
    passTime(3_540_000 - 1);
    expect(await world.expectAuthorized(toolId)).toEqual(first);
    expect(await requestsOf(clientId)).toHaveLength(1);
    passTime(1);
    const second = await world.expectAuthorized(toolId);
    expect(second.value).not.toBe(first.value);
    expect(await world.isAccepted(clientId, second)).toBe(true);
    expect(await requestsOf(clientId)).toHaveLength(2);
  });

  it("each renewal uses the latest refresh token", async () => {
    const { toolId, clientId } = await refreshing();
    for (let round = 0; round < 4; round += 1) {
      expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
      passTime(3_600_000);
    }
    const { requests, refreshTokens } = await world.memoryOf(clientId);
    expect(requests.map((body) => body["refresh_token"])).toEqual([
      "first",
      ...refreshTokens.slice(0, 3),
    ]);
  });

  it("a renewal uses the same refresh token if the server keeps it", async () => {
    const { toolId, clientId } = await refreshing({ rotates: false });
    await world.expectAuthorized(toolId);
    passTime(3_600_000);
    await world.expectAuthorized(toolId);
    const requests = await requestsOf(clientId);
    expect(requests.map((body) => body["refresh_token"])).toEqual(["first", "first"]);
  });

  it("a token is never renewed if the server names no expiry", async () => {
    const { toolId, clientId } = await refreshing({ expiresIn: null });
    await world.expectAuthorized(toolId);
    passTime(365 * 86_400_000);
    await world.expectAuthorized(toolId);
    expect(await requestsOf(clientId)).toHaveLength(1);
    expect((await get(world.at(toolId))).body.data).not.toHaveProperty("expiresAt");
  });

  it("a token is used until it expires while the token endpoint is down", async () => {
    const { toolId, clientId } = await refreshing({ expiresIn: 3_600 });
    const first = await world.expectAuthorized(toolId);
    await world.client({ failure: { status: 503, body: "down" } }, clientId);
    passTime(3_600_000 - 1);
    expect(await world.expectAuthorized(toolId)).toEqual(first);
    passTime(1);
    expect(await world.authorizeCall(toolId)).toMatchObject({
      ok: false,
      failure: { kind: "tool_failed", toolId, retryable: true },
    });
    await world.client({ failure: null }, clientId);
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
  });
});

describe("concurrent renewals", () => {
  it("fifty callers with an expired token make one token request", async () => {
    const { toolId, clientId } = await refreshing({}, { tokenUrl: SLOW_TOKEN_URL });
    await world.expectAuthorized(toolId);
    passTime(3_600_000);
    const given = await Promise.all(
      Array.from({ length: 50 }, () => world.expectAuthorized(toolId)),
    );
    expect(new Set(given.map(({ value }) => value)).size).toBe(1);
    expect(await requestsOf(clientId)).toHaveLength(2);
    expect(await world.isAccepted(clientId, given[0] ?? fail())).toBe(true);
  });

  it("fifty callers with a rejected token cause one renewal, and late callers cause none", async () => {
    const { toolId, clientId } = await refreshing({}, { tokenUrl: SLOW_TOKEN_URL });
    await world.expectAuthorized(toolId);
    const { revision } = await world.rowOf(toolId);
    const given = await Promise.all(Array.from({ length: 50 }, () => renewed(toolId, revision)));
    expect(new Set(given.map(({ value }) => value)).size).toBe(1);
    expect(await renewed(toolId, revision)).toEqual(given[0]);
    expect(await requestsOf(clientId)).toHaveLength(2);
  });

  it("fifty callers waiting for a broken token endpoint cause one request, and all get its failure", async () => {
    const { toolId, clientId } = await refreshing(
      { failure: { status: 500, body: {} } },
      { tokenUrl: SLOW_TOKEN_URL },
    );
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => world.authorizeCall(toolId)),
    );
    expect(outcomes.every(({ ok }) => !ok)).toBe(true);
    expect(await requestsOf(clientId)).toHaveLength(1);
  });

  it("the renewal of one tool's token does not delay another tool", async () => {
    const gate = world.gate();
    const [slow, quick] = [await refreshing({}, { tokenUrl: gate.tokenUrl }), await refreshing()];
    const waiting = world.expectAuthorized(slow.toolId);
    await gate.reached();
    expect(await world.isAccepted(quick.clientId, await world.expectAuthorized(quick.toolId))).toBe(
      true,
    );
    await gate.open();
    expect(await world.isAccepted(slow.clientId, await waiting)).toBe(true);
  });
});

describe("a token rejected by the other system", () => {
  it("a rejected token is renewed once before it expires", async () => {
    const { toolId, clientId } = await refreshing();
    const first = await world.expectAuthorized(toolId);
    const { accessTokens } = await world.memoryOf(clientId);
    await world.client({ revokedTokens: [...accessTokens] }, clientId);
    expect(await world.isAccepted(clientId, first)).toBe(false);
    const { revision } = await world.rowOf(toolId);
    const second = await renewed(toolId, revision);
    expect(await world.isAccepted(clientId, second)).toBe(true);
    expect(await world.expectAuthorized(toolId)).toEqual(second);
    expect(await requestsOf(clientId)).toHaveLength(2);
  });

  it("a rejected API key is not renewed", async () => {
    const toolId = await world.toolOf();
    await world.putCredentials(toolId, { type: "api-key", value: "k" });
    const { tool } = await world.stored(toolId);
    const outcome = await renewAuthorization(env, tool, await world.rowOf(toolId));
    expect(outcome).toEqual({ ok: true, value: null });
  });
});

describe("a revoked grant", () => {
  it("a revoked grant is reported with advice, shown as not connected, and not retried", async () => {
    const { toolId, clientId, body } = await refreshing();
    await world.expectAuthorized(toolId);
    expect((await get(world.at(toolId))).body.data.connected).toBe(true);
    await world.client({ refreshToken: null }, clientId);
    passTime(3_600_000);
    const before = (await requestsOf(clientId)).length;
    for (let round = 0; round < 3; round += 1) {
      expect(await world.authorizeCall(toolId)).toMatchObject({
        ok: false,
        failure: {
          kind: "credentials_required",
          reason: expect.stringContaining(`PUT /agents/tools/${toolId}/credentials`),
        },
      });
    }
    expect(await requestsOf(clientId)).toHaveLength(before + 1);
    expect((await get(world.at(toolId))).body.data.connected).toBe(false);
    await world.client({ refreshToken: "second" }, clientId);
    await world.putCredentials(toolId, { ...body, refreshToken: "second" });
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
  });

  it("a person's revoked grant is restored by connecting again", async () => {
    const clientId = await world.client({ authentication: "none" });
    const toolId = await world.toolOf();
    await world.putAuthorizationCode(toolId, clientId);
    const connect = async () =>
      world.returnFromConsent(await world.consent(await world.connectUrl(toolId)));
    await connect();
    await world.client({ refreshToken: null }, clientId);
    passTime(3_600_000);
    expect(await world.authorizeCall(toolId)).toMatchObject({
      failure: {
        kind: "credentials_required",
        reason: expect.stringContaining(`POST /agents/tools/${toolId}/credentials/connect`),
      },
    });
    expect((await get(world.at(toolId))).body.data.connected).toBe(false);
    await connect();
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
  });

  it("a grant without a refresh token ends when its access token expires", async () => {
    const clientId = await world.client({ authentication: "none", refreshes: false });
    const toolId = await world.toolOf();
    await world.putAuthorizationCode(toolId, clientId);
    await world.returnFromConsent(await world.consent(await world.connectUrl(toolId)));
    passTime(3_600_000 - 1);
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
    passTime(1);
    expect(await world.authorizeCall(toolId)).toMatchObject({
      failure: { kind: "credentials_required" },
    });
    expect((await get(world.at(toolId))).body.data.connected).toBe(false);
  });
});

describe("changes during a renewal", () => {
  it("credentials that are replaced during a renewal are used and kept", async () => {
    const gate = world.gate();
    const { toolId, body } = await refreshing({}, { tokenUrl: gate.tokenUrl });
    const other = await world.client({ secret: "s", refreshToken: "other" });
    const waiting = world.expectAuthorized(toolId);
    await gate.reached();
    await world.putCredentials(toolId, { ...body, clientId: other, refreshToken: "other" });
    await gate.open();
    expect(await world.isAccepted(other, await waiting)).toBe(true);
    expect(await world.isAccepted(other, await world.expectAuthorized(toolId))).toBe(true);
    expect(await requestsOf(other)).toHaveLength(1);
  });

  it("credentials that are deleted during a renewal stay deleted", async () => {
    const gate = world.gate();
    const { toolId } = await refreshing({}, { tokenUrl: gate.tokenUrl });
    const waiting = world.authorizeCall(toolId);
    await gate.reached();
    await del(world.at(toolId));
    await gate.open();
    expect(await waiting).toMatchObject({ failure: { kind: "credentials_required" } });
    expect((await world.stored(toolId)).row).toBeNull();
  });

  it("credentials that are deleted and created during a renewal are not overwritten", async () => {
    const gate = world.gate();
    const { toolId, clientId, body } = await refreshing({}, { tokenUrl: gate.tokenUrl });
    const waiting = world.authorizeCall(toolId);
    await gate.reached();
    await del(world.at(toolId));
    const other = await world.client({ secret: "s", refreshToken: "other" });
    await world.putCredentials(toolId, { ...body, clientId: other, refreshToken: "other" });
    await gate.open();
    await waiting;
    expect(await requestsOf(clientId)).toHaveLength(1);
    expect(await world.isAccepted(other, await world.expectAuthorized(toolId))).toBe(true);
  });

  it("an API key that replaces the credentials during a renewal is kept and not renewed", async () => {
    const gate = world.gate();
    const { toolId } = await refreshing({}, { tokenUrl: gate.tokenUrl });
    const waiting = world.authorizeCall(toolId);
    await gate.reached();
    await world.putCredentials(toolId, {
      type: "api-key",
      value: "k",
      in: "header",
      name: "X-Key",
    });
    await gate.open();
    expect(await waiting).toMatchObject({ failure: { kind: "credentials_required" } });
    expect(await world.expectAuthorized(toolId)).toMatchObject({
      in: "header",
      name: "X-Key",
      value: "k",
    });
  });
});

describe("a renewed token that D1 rejects", () => {
  it("a renewed token that D1 rejects is used, and stored by the next call even after an eviction", async () => {
    const { toolId, clientId } = await refreshing();
    await world.expectAuthorized(toolId);
    const { revision } = await world.rowOf(toolId);
    passTime(3_600_000);
    const log = vi.spyOn(console, "error").mockReturnValue();
    await env.DB.prepare(
      "CREATE TRIGGER no_renewals BEFORE UPDATE ON credentials BEGIN SELECT RAISE(ABORT, 'no renewals'); END",
    ).run();
    const given = await Promise.all(
      Array.from({ length: 5 }, () => world.expectAuthorized(toolId)),
    );
    expect(new Set(given.map(({ value }) => value)).size).toBe(1);
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
    expect(log.mock.calls.map(([entry]) => entry.event)).toContain("token_save_failed");
    log.mockRestore();
    await env.DB.prepare("DROP TRIGGER no_renewals").run();
    await evictAllDurableObjects();
    expect((await world.rowOf(toolId)).revision).toBe(revision);
    expect(await world.expectAuthorized(toolId)).toEqual(given[0]);
    expect((await world.rowOf(toolId)).revision).toBe(revision + 1);
    expect(await requestsOf(clientId)).toHaveLength(2);
    passTime(3_600_000);
    expect(await world.isAccepted(clientId, await world.expectAuthorized(toolId))).toBe(true);
  });
});

describe("a tool's credentials row", () => {
  it("sealed credentials cannot be opened for another tool or as another type", async () => {
    const [one, other] = [await refreshing(), await refreshing()];
    await world.expectAuthorized(one.toolId);
    const log = vi.spyOn(console, "warn").mockReturnValue();
    await env.DB.prepare(
      "UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE tool_id = ?) WHERE tool_id = ?",
    )
      .bind(one.toolId, other.toolId)
      .run();
    const closed = { ok: false, failure: { kind: "credentials_required" } };
    expect(await world.authorizeCall(other.toolId)).toMatchObject(closed);
    const { revision } = await world.rowOf(other.toolId);
    const refresher = tokenRefresherStub(env.KEEPERS, other.toolId);
    expect(await refresher.renew(other.toolId, revision)).toMatchObject(closed);
    expect((await get(world.at(other.toolId))).status).toBe(424);
    await env.DB.prepare("UPDATE credentials SET type = 'api-key' WHERE tool_id = ?")
      .bind(one.toolId)
      .run();
    expect(await world.authorizeCall(one.toolId)).toMatchObject(closed);
    expect(log.mock.calls.map(([entry]) => entry.event)).toContain("credential_decrypt_failed");
    log.mockRestore();
    expect((await del(world.at(other.toolId))).status).toBe(200);
  });
});

function fail(): never {
  throw new Error("There is no authorization");
}
