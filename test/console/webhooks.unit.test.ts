import { describe, expect, it } from "vitest";
import { parseHeaders } from "../../console/src/api/header-lines.ts";
import { EVENT_TYPES } from "../../console/src/events/filters.ts";
import { describeAttempts } from "../../console/src/webhooks/attempts.ts";
import { readDeliverySearch } from "../../console/src/webhooks/search.ts";
import {
  draftOf,
  EMPTY_WEBHOOK,
  FORMATS,
  newWebhookBody,
  webhookChanges,
  type WebhookDraft,
} from "../../console/src/webhooks/webhook-form.ts";
import { changeWebhookBody, createWebhookBody } from "../../src/events/webhooks/schemas.ts";
import { Rng } from "../support/rng.ts";

function randomDraft(rng: Rng): WebhookDraft {
  return {
    url: `https://example.com/${rng.below(3)}`,
    description: rng.oneIn(2) ? "" : "The dashboard",
    format: FORMATS[rng.below(FORMATS.length)] ?? "standard",
    types: EVENT_TYPES.filter(() => rng.oneIn(6)),
    agentId: rng.oneIn(2) ? "" : "data-analyst",
    teamId: rng.oneIn(2) ? "" : "insights",
    template: rng.oneIn(2) ? "" : "{{ title }}",
    replacesHeaders: rng.oneIn(2),
    headers: rng.oneIn(2) ? "" : "Authorization: Bearer abc\nX-Team: blue",
    secret: "",
  };
}

/** The webhook that the API would return for a draft. */
function webhookOf(draft: WebhookDraft) {
  const { headers, secret: _, ...body } = newWebhookBody(draft);
  return {
    id: "whk_0000000000000000",
    enabled: true,
    createdBy: "root",
    createdAt: "2030-01-31T12:00:00.000Z",
    ...body,
    description: body.description ?? "",
    format: body.format ?? "standard",
    types: draft.types.length === 0 ? undefined : [...draft.types],
    ...(headers && { headerNames: Object.keys(headers) }),
  };
}

describe("the form of a webhook", () => {
  it("makes bodies that the API's schema accepts", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const body = newWebhookBody(randomDraft(new Rng(seed)));
      expect(createWebhookBody.safeParse(body).error).toBeUndefined();
    }
  });

  it("changes nothing if it is untouched", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const { types, ...webhook } = webhookOf(randomDraft(new Rng(seed)));
      const shown = { ...webhook, ...(types && { types }) };
      expect(webhookChanges(shown, draftOf(shown))).toEqual({});
    }
  });

  it("changes exactly what makes the webhook equal to the draft", () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const rng = new Rng(seed);
      const { types, ...webhook } = webhookOf(randomDraft(rng));
      const shown = { ...webhook, ...(types && { types }) };
      const draft = { ...randomDraft(rng), replacesHeaders: true };
      const changes = webhookChanges(shown, draft);
      if (Object.keys(changes).length > 0)
        expect(changeWebhookBody.safeParse(changes).error).toBeUndefined();
      const { headers: _, ...changed } = changes;
      const result = Object.fromEntries(
        Object.entries({ ...shown, ...changed }).filter(([, value]) => value !== null),
      );
      const { headerNames: _names, ...after } = { headerNames: null, ...result };
      const {
        types: wantedTypes,
        headerNames: _other,
        ...wanted
      } = {
        headerNames: null,
        ...webhookOf(draft),
      };
      expect(after).toEqual({ ...wanted, ...(wantedTypes && { types: wantedTypes }) });
    }
  });

  it("keeps the stored headers unless they are replaced, and deletes them with null", () => {
    const shown = {
      ...webhookOf({ ...EMPTY_WEBHOOK, url: "https://example.com" }),
      types: [],
      headerNames: ["X-Team"],
    };
    const draft = draftOf(shown);
    expect(webhookChanges(shown, { ...draft, headers: "X-Team: red" })).toEqual({});
    expect(webhookChanges(shown, { ...draft, replacesHeaders: true })).toEqual({ headers: null });
    expect(webhookChanges(shown, { ...draft, replacesHeaders: true, headers: "A: b:c" })).toEqual({
      headers: { A: "b:c" },
    });
  });

  it("passes a line without a colon on, so that the API explains it", () => {
    expect(parseHeaders(" \n")).toBeNull();
    expect(parseHeaders("X-Team")).toEqual({ "X-Team": "" });
  });
});

describe("the deliveries of a webhook", () => {
  it("are filtered by known statuses only", () => {
    expect(readDeliverySearch({ status: "failed", delivery: "dlv_1" })).toEqual({
      status: "failed",
      delivery: "dlv_1",
    });
    expect(readDeliverySearch({ status: "lost", delivery: {} })).toEqual({});
  });

  it("are summarised by their number of attempts and the last result", () => {
    const at = "2030-01-31T12:00:00.000Z";
    expect(describeAttempts([])).toBe("No attempts yet");
    expect(describeAttempts([{ at, durationMs: 20, status: 200 }])).toBe(
      "1 attempt, last: 200 in 20 ms",
    );
    expect(
      describeAttempts([
        { at, durationMs: 20, status: 500 },
        { at, durationMs: 15_000 },
      ]),
    ).toBe("2 attempts, last: no response in 15 s");
  });
});
