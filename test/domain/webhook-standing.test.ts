import { describe, expect, it } from "vitest";
import { afterAttempt, incoming, type Outcome } from "../../src/domain/delivery.ts";
import { standingAfter, type Standing } from "../../src/webhooks/standing.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const URL = "https://receiver.example.com/";
const STANDING: Standing = {
  webhookId: "whk_1",
  isOpen: true,
  position: 0,
  isBehind: false,
  failures: 0,
  lastSuccessAt: null,
  closing: null,
  pruneAt: null,
};
const sent = incoming(
  {
    position: 7,
    taskId: "a".repeat(64),
    seq: 3,
    type: "completed",
    at: new Date(NOW).toISOString(),
    agentId: null,
    teamId: null,
    data: {},
  },
  NOW,
);

/** The standing after one attempt that was answered with a status. */
function after(status: number, isLast: boolean, standing = STANDING): Standing {
  const error = status < 300 ? null : "no";
  const outcome: Outcome = {
    at: NOW,
    durationMs: 1,
    status,
    error,
    answer: null,
    retryAfterSeconds: null,
  };
  const step = { sent, after: afterAttempt(sent, outcome, 0, NOW), lastSuccessAt: null };
  return standingAfter(standing, step, { outcome, isLast, url: URL }, NOW);
}

describe("how a webhook stands after an attempt", () => {
  it("is as before where all is well, so that nothing is written", () => {
    expect(after(200, false)).toEqual(STANDING);
  });

  it("counts failures until one succeeds", () => {
    const failing = after(500, false, after(500, false));
    expect(failing).toEqual({ ...STANDING, failures: 2 });
    expect(after(200, false, failing)).toEqual({ ...STANDING, lastSuccessAt: NOW });
  });

  it("ends with a last message that is through or given up, not with one that is to be repeated", () => {
    expect(after(200, true).closing).toEqual({ kind: "end" });
    expect(after(500, true).closing).toBeNull();
    expect(after(410, true).closing).toMatchObject({ kind: "disable" });
  });

  it("is to be disabled with 410, at the address that said so, and for the first reason", () => {
    const closing = { kind: "disable", url: URL, reason: expect.stringContaining("410"), at: NOW };
    const gone = after(410, false);
    expect(gone.closing).toEqual(closing);
    expect(after(200, true, gone).closing).toEqual(closing);
  });
});
