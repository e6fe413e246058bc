import { describe, expect, it } from "vitest";
import { EMPTY_FIELDS, toNewTask } from "../../console/src/tasks/new-task.ts";

const FIELDS = { ...EMPTY_FIELDS, task: "Sum up" };

describe("the form for a new task", () => {
  it("fields that are empty are not sent", () => {
    expect(toNewTask(FIELDS)).toEqual({ ok: true, body: { task: "Sum up", priority: "medium" } });
  });

  it("every field is sent in the form that the API expects", () => {
    const filled = toNewTask({
      ...FIELDS,
      title: " Sales ",
      agentId: "data-analyst",
      teamId: "insights",
      priority: "urgent",
      deadline: "2030-01-31T12:00:00Z",
      deliverables: "report, chart,",
      labels: "customer: acme\n\nurl:https://example.com",
      context: '{"askFirst":"Which?"}',
      files: [{ name: "SALES.CSV", text: "a,b\n1,2" }],
      maxCost: "1.5",
      maxToolCalls: "3",
      maxMinutes: "2",
    });
    expect(filled).toEqual({
      ok: true,
      body: {
        task: "Sum up",
        title: "Sales",
        agentId: "data-analyst",
        teamId: "insights",
        priority: "urgent",
        deadline: "2030-01-31T12:00:00.000Z",
        deliverables: ["report", "chart"],
        labels: { customer: "acme", url: "https://example.com" },
        context: { askFirst: "Which?", csv: "a,b\n1,2" },
        budget: { maxCost: 1.5, maxToolCalls: 3, maxDurationSeconds: 120 },
      },
    });
  });

  it.each([
    ["context", { context: "{" }],
    ["context", { context: "[1]" }],
    ["context", { context: '{"csv":""}', files: [{ name: "a.csv", text: "" }] }],
    [
      "context",
      {
        files: [
          { name: "a.txt", text: "" },
          { name: "b.md", text: "" },
        ],
      },
    ],
    ["labels", { labels: "no colon" }],
    ["labels", { labels: ":value" }],
    ["labels", { labels: "team:blue\n team : red" }],
    ["files", { files: [{ name: "a.png", text: "PNG\u0000" }] }],
    ["files", { files: [{ name: "a.csv", text: "\u00e9".repeat(500_001) }] }],
  ])("a problem of the field %s is reported at the field: %j", (field, changed) => {
    expect(toNewTask({ ...FIELDS, ...changed })).toMatchObject({ ok: false, field });
  });

  it("a number that is not one is left to the API, which rejects it", () => {
    const { ok } = toNewTask({ ...FIELDS, maxCost: "much" });
    expect(ok).toBe(true);
  });
});
