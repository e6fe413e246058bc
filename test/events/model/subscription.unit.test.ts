import { describe, expect, it } from "vitest";
import {
  applyAttempt,
  createDelivery,
  applyLateAttempt,
  type AttemptOutcome,
} from "../../../src/events/model/delivery.ts";
import {
  updateSubscription,
  type SubscriptionState,
} from "../../../src/events/model/subscription.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const URL = "https://receiver.example.com/";
const SUBSCRIPTION: SubscriptionState = {
  webhookId: "whk_1",
  isOpen: true,
  position: 0,
  isBehind: false,
  failures: 0,
  lastSuccessAt: null,
  closing: null,
  pruneAt: null,
};
const sent = createDelivery(
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

/** The subscription after one attempt with this response status. */
function after(status: number, isLast: boolean, subscription = SUBSCRIPTION): SubscriptionState {
  const outcome = answered(status);
  const line = applyAttempt(sent, outcome, 0, NOW);
  const step = { sent, after: line, isOvertaken: false, lastSuccessAt: null };
  return updateSubscription(subscription, step, { outcome, isLast, url: URL }, NOW);
}

/** The subscription after an attempt during which another call marked the delivery as failed. */
function stateAfterCancelled(status: number): SubscriptionState {
  const outcome = answered(status);
  const begun = { ...sent, tries: 1, roundStartedAt: NOW - 1 };
  const givenUp = { ...begun, status: "failed", nextAt: null, settledAt: NOW } as const;
  const line = applyLateAttempt(givenUp, outcome, NOW);
  const step = { sent: begun, after: line, isOvertaken: true, lastSuccessAt: null };
  return updateSubscription(SUBSCRIPTION, step, { outcome, isLast: false, url: URL }, NOW);
}

function answered(status: number): AttemptOutcome {
  const error = status < 300 ? null : "no";
  return { at: NOW, durationMs: 1, status, error, answer: null, retryAfterSeconds: null };
}

describe("the state of a webhook after an attempt", () => {
  it("a successful attempt leaves the state of a healthy webhook unchanged", () => {
    expect(after(200, false)).toEqual(SUBSCRIPTION);
  });

  it("failed attempts are counted until one succeeds", () => {
    const failing = after(500, false, after(500, false));
    expect(failing).toEqual({ ...SUBSCRIPTION, failures: 2 });
    expect(after(200, false, failing)).toEqual({ ...SUBSCRIPTION, lastSuccessAt: NOW });
  });

  it("a subscription ends when its last message is delivered but not when the message is retried, and a 410 disables it", () => {
    expect(after(200, true).closing).toEqual({ kind: "end", isTaskEnded: true });
    expect(after(500, true).closing).toBeNull();
    expect(after(410, true).closing).toMatchObject({ kind: "disable" });
  });

  it("a 410 disables the webhook at the address that returned it, and the first reason is kept", () => {
    const closing = { kind: "disable", url: URL, reason: expect.stringContaining("410"), at: NOW };
    const gone = after(410, false);
    expect(gone.closing).toEqual(closing);
    expect(after(200, true, gone).closing).toEqual(closing);
  });

  it("an overtaken attempt disables the webhook only if its status is 410", () => {
    expect(stateAfterCancelled(500)).toEqual({ ...SUBSCRIPTION, failures: 1 });
    expect(stateAfterCancelled(200).closing).toBeNull();
    expect(stateAfterCancelled(410).closing).toMatchObject({ kind: "disable" });
  });
});
