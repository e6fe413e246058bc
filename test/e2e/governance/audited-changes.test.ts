import { describe, expect, it } from "vitest";
import { keyId, keyWith } from "../../support/keys.ts";
import { post } from "../../support/client.ts";
import { rowsOf } from "../../governance/audit/fixtures.ts";
import { receiveEvents, shown } from "../events/webhooks/fixtures.ts";
import * as world from "../tools/credentials/fixtures.ts";

describe("changes that are made without an API key in the request", () => {
  it("a connection that a person completes is recorded for the key that created the link", async () => {
    const key = await keyWith(["tools:manage"]);
    const clientId = await world.client({ authentication: "none" });
    const toolId = await world.toolOf();
    await world.putAuthorizationCode(toolId, clientId);
    const created = await post(`${world.at(toolId)}/connect`, {}, { key });
    const opened = await world.openLink(new URL(created.body.data.url));
    const to = await world.consent(new URL(opened.headers.get("Location") ?? ""));
    const cookie = world.cookieOf(opened);
    const { outcome, rows } = await rowsOf(() => world.returnFromConsent(to, "*/*", cookie));
    expect(outcome.status, outcome.text).toBe(200);
    expect(rows).toMatchObject([
      {
        action: "credentials.connected",
        subjectId: toolId,
        keyId: keyId(key),
        after: { type: "oauth-authorization-code" },
      },
    ]);
    const again = await rowsOf(() => world.returnFromConsent(to, "*/*", cookie));
    expect([again.outcome.status, again.rows]).toEqual([400, []]);
  });

  it("a webhook that the service disables is recorded for the service", async () => {
    const { outcome, rows } = await rowsOf(async () => {
      const { id } = await receiveEvents(["created"], { status: 410 });
      return shown(id);
    });
    expect(outcome).toMatchObject({ enabled: false });
    expect(rows.map(({ action }) => action)).toEqual(["webhook.created", "webhook.disabled"]);
    expect(rows[1]).toMatchObject({
      keyId: "service",
      subjectId: outcome.id,
      before: { enabled: true },
      after: { enabled: false },
    });
  });
});
