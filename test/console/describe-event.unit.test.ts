import { describe, expect, it } from "vitest";
import { describeEvent } from "../../console/src/tasks/detail/describe-event.ts";
import { agentNamesIn, type TaskEvent } from "../../console/src/tasks/detail/task-log.ts";
import { plainText } from "../../console/src/tasks/detail/text-parts.ts";
import { formatExactTime } from "../../console/src/ui/relative-time.ts";
import { EVENT_DATA, eventOf } from "./task-log.support.ts";

function textOf(event: TaskEvent): string {
  const { sentence, quote } = describeEvent(event, new Map());
  return quote === undefined ? plainText(sentence) : `${plainText(sentence)} | ${quote}`;
}

const { created, declined, progressed, blocked, responded, retried, updated } = EVENT_DATA;
const CALL = {
  toolId: "table-analyst",
  capability: "profile",
  cost: 0.02,
  durationMs: 1_500,
  ok: true,
};

describe("describeEvent", () => {
  it.each<[TaskEvent, string]>([
    [eventOf("created", created), "Created by the key root for Analyst"],
    [
      eventOf("created", { ...created, choice: null }),
      "Created by the key root; no suitable agent is available yet",
    ],
    [eventOf("assigned", EVENT_DATA.assigned), "Assigned to Analyst | requested by the client"],
    [eventOf("declined", declined), "analyst declined the task | no slot"],
    [eventOf("declined", { ...declined, excludes: false }), "Taken back from analyst | no slot"],
    [
      eventOf("declined", { ...declined, released: true }),
      "A worker of analyst returned the task | no slot",
    ],
    [eventOf("started", EVENT_DATA.started), "analyst started work"],
    [
      eventOf("started", { agentId: "analyst", lease: { worker: "w-1", seconds: 60 } }),
      "The worker w-1 of analyst started work",
    ],
    [
      eventOf("resumed", { agentId: "analyst", lease: { worker: null, seconds: 60 } }),
      "A worker of analyst resumed work",
    ],
    [eventOf("progressed", progressed), "40%: analysing"],
    [
      eventOf("progressed", { ...progressed, calls: [CALL, CALL] }),
      "40%: analysing (2 tool calls)",
    ],
    [
      eventOf("progressed", { ...progressed, calls: [CALL], outside: true }),
      "table-analyst/profile succeeded (1.5 s, $0.02)",
    ],
    [
      eventOf("progressed", {
        ...progressed,
        calls: [{ ...CALL, cost: 0, ok: false, problem: "timed out" }],
        outside: true,
      }),
      "table-analyst/profile failed (1.5 s) | timed out",
    ],
    [
      eventOf("progressed", {
        ...progressed,
        outside: true,
        use: { inputTokens: 1_200, outputTokens: 34, cost: 0 },
      }),
      "Used 1,234 tokens",
    ],
    [
      eventOf("progressed", {
        ...progressed,
        calls: [CALL, CALL],
        outside: true,
        use: { inputTokens: 1_200, outputTokens: 34, cost: 0 },
      }),
      "Made 2 tool calls and used 1,234 tokens",
    ],
    [
      eventOf("progressed", {
        ...progressed,
        outside: true,
        error: { code: "AGENT_ERROR", message: "No answer", retryable: true },
      }),
      "A turn failed (AGENT_ERROR); the service will retry it | No answer",
    ],
    [
      eventOf("progressed", {
        ...progressed,
        file: {
          type: "report",
          name: "report.md",
          format: "text/markdown",
          size: 1_536,
          createdAt: "2026-11-27T10:00:00.000Z",
        },
      }),
      "Uploaded report.md (1.5 KiB)",
    ],
    [eventOf("blocked", blocked), "Asked a question | Which period?"],
    [
      eventOf("blocked", { ...blocked, kind: "budget" }),
      "Asked for a higher budget | Which period?",
    ],
    [eventOf("responded", responded), "Answered | All 40 days"],
    [eventOf("responded", { response: { maxCost: 2 } }), 'Answered | {"maxCost":2}'],
    [eventOf("responded", { response: null }), "Continued without an answer"],
    [eventOf("responded", { responseBytes: 70_000 }), "Answered (68.4 KiB)"],
    [eventOf("submitted", EVENT_DATA.submitted), "Submitted for review | 42 rows"],
    [eventOf("approved", EVENT_DATA.approved), "Approved | Good"],
    [eventOf("approved", { comment: null }), "Approved"],
    [eventOf("changes_requested", EVENT_DATA.changes_requested), "Changes requested | Shorter"],
    [eventOf("completed", EVENT_DATA.completed), "Completed | 42 rows"],
    [eventOf("failed", EVENT_DATA.failed), "The attempt failed (TOOL_ERROR) | The tool failed."],
    [eventOf("cancelled", EVENT_DATA.cancelled), "Cancelled | Not needed"],
    [eventOf("retried", retried), "Retried with Analyst (attempt 2)"],
    [
      eventOf("retried", { ...retried, reassign: true, choice: null }),
      "Retried; no other suitable agent is available yet (attempt 2)",
    ],
    [eventOf("retried", { ...retried, reassign: true }), "Reassigned to Analyst (attempt 2)"],
    [
      eventOf("retried", {
        ...retried,
        automatic: {
          error: EVENT_DATA.failed.error,
          notBefore: "2026-11-27T10:00:05.000Z",
        },
      }),
      "Retried automatically with Analyst (attempt 2) | The tool failed.",
    ],
    [eventOf("updated", updated), "Changed the priority to high, and added a note | Soon"],
    [eventOf("updated", { notes: "Soon" }), "Added a note | Soon"],
    [
      eventOf("updated", { title: null, labels: {}, budget: { maxCost: 1 } }),
      "Changed the labels and the budget, and removed the title",
    ],
    [
      eventOf("updated", { choice: EVENT_DATA.assigned, priority: "low", notes: "Soon" }),
      "Gave the task to Analyst, changed the priority to low, and added a note | Soon",
    ],
    [eventOf("updated", { choice: EVENT_DATA.assigned }), "Gave the task to Analyst"],
    [
      eventOf("updated", { context: {}, deadline: "2026-11-28T10:00:00.000Z" }),
      `Changed the deadline to ${formatExactTime("2026-11-28T10:00:00.000Z")} and the context`,
    ],
    [
      eventOf("updated", {
        title: "Sales",
        labels: { team: "blue" },
        externalId: "order-17",
        deliverables: ["chart"],
        budget: { maxCost: 2 },
      }),
      "Changed the title to “Sales”, the labels, the external id to “order-17”, the deliverables and the budget",
    ],
    [
      eventOf("updated", { title: null, externalId: null }),
      "Removed the title and the external id",
    ],
    [
      eventOf("updated", { labels: {}, title: null, notes: "Soon" }),
      "Changed the labels, removed the title, and added a note | Soon",
    ],
    [eventOf("updated", {}), "Changed the task"],
    [eventOf("rated", EVENT_DATA.rated), "Rated 4 of 5 | Fine"],
  ])("describes the event %#", (event, expected) => {
    expect(textOf(event)).toBe(expected);
  });

  it("marks the names that others chose, so that their direction does not affect the sentence", () => {
    const { sentence } = describeEvent(eventOf("assigned", EVENT_DATA.assigned), new Map());
    expect(sentence).toEqual(["Assigned to ", { foreign: "Analyst" }]);
  });

  it("an agent is named by its name in the log, or by its id if the log does not contain its name", () => {
    const log = [
      eventOf("created", { ...created, choice: null }),
      eventOf("assigned", EVENT_DATA.assigned),
      eventOf("declined", declined),
      eventOf("updated", { choice: { ...EVENT_DATA.assigned, agentId: "bob", agentName: "Bob" } }),
      eventOf("started", { agentId: "bob", lease: { worker: null, seconds: 60 } }),
      eventOf("resumed", { agentId: "analyst" }),
      eventOf("started", { agentId: "unknown" }),
    ];
    const names = agentNamesIn(log);
    expect(log.slice(2).map((event) => plainText(describeEvent(event, names).sentence))).toEqual([
      "Analyst declined the task",
      "Gave the task to Bob",
      "A worker of Bob started work",
      "Analyst resumed work",
      "unknown started work",
    ]);
  });

  it("the key that caused an event is its author, and is not repeated in the sentence", () => {
    const by = { keyId: "k1", keyName: "Night key" };
    const session = { ...by, sessionId: "s1" };
    const lines = [
      eventOf("created", { ...created, by }),
      eventOf("updated", { priority: "urgent", by: session }),
      eventOf("updated", updated),
    ].map((event) => describeEvent(event, new Map()));
    expect(lines.map(({ sentence, author }) => [plainText(sentence), author])).toEqual([
      ["Created for Analyst", { keyName: "Night key", isInConsole: false }],
      ["Changed the priority to urgent", { keyName: "Night key", isInConsole: true }],
      ["Changed the priority to high, and added a note", undefined],
    ]);
  });
});
