import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { get, ORIGIN } from "../../support/client.ts";
import { read } from "../../support/tasks.ts";
import {
  BINDINGS,
  clientOf,
  errorNameOf,
  message,
  part,
  sent,
  STATE,
  summarize,
  TEXT,
  textOf,
} from "./fixtures.ts";

const POLL = { timeout: 15_000 };
/** The first task with a table loads the chart library, which is slow in tests. */
const COLD = { timeout: 60_000 };
const ROWS = "month,sales\nJan,10\nFeb,12\nMar,15\nApr,11\n";

describe.each(BINDINGS)("a message from the SDK's client over %s", (binding) => {
  it("sending a message returns the task's result and its files, which need no key", async () => {
    const client = await clientOf(binding);
    const bosun = { deliverables: ["summary"] };
    const task = await sent(client, summarize({}, { bosun }));
    expect(task).toMatchObject({
      id: task.contextId,
      status: { state: STATE.completed, timestamp: expect.stringMatching(/Z$/) },
      metadata: { bosun: { taskId: task.id, status: "completed", progress: 100, attempt: 1 } },
    });
    const [result, file] = task.artifacts;
    expect(result).toMatchObject({ artifactId: "result" });
    expect(result?.parts[0]?.content?.value).toContain("24 words");
    expect(result?.parts[1]?.content?.value).toMatchObject({ quality: { completeness: 100 } });
    expect(file).toMatchObject({
      artifactId: "deliverables/summary.txt",
      parts: [{ filename: "summary.txt", metadata: { bosun: { type: "summary" } } }],
    });
    const link = String(file?.parts[0]?.content?.value);
    expect(link).toMatch(new RegExp(`^${ORIGIN}/`));
    const download = await get(link.slice(ORIGIN.length), { key: null });
    expect([download.status, download.text]).toEqual([200, expect.stringContaining("Bergen")]);
  });

  it("sending with returnImmediately returns before the task is completed", async () => {
    const client = await clientOf(binding);
    const bosun = { deadline: `${new Date().getUTCFullYear() + 1}-01-31T12:00:00Z` };
    const task = await sent(client, summarize({}, { bosun }), { returnImmediately: true });
    expect([STATE.submitted, STATE.working]).toContain(task.status?.state);
    expect(task.artifacts).toEqual([]);
    // Polls until the task is completed, as a client would.
    await expect
      .poll(async () => (await client.getTask({ tenant: "", id: task.id })).status?.state, POLL)
      .toBe(STATE.completed);
  });

  it("a repeated message creates one task, and a different message with its id is rejected", async () => {
    const client = await clientOf(binding);
    const first = summarize();
    const [one, other] = [await sent(client, first), await sent(client, first)];
    expect(other.id).toBe(one.id);
    const error = await errorNameOf(
      sent(client, { ...message("Something else"), messageId: first.messageId }),
    );
    expect(error).toEqual({
      name: "RequestMalformedError",
      message: expect.stringContaining("messageId was already used for a different message"),
    });
  });

  it("a message can name the agent, the deliverables and the limits", async () => {
    const client = await clientOf(binding);
    const deadline = `${new Date().getUTCFullYear() + 1}-01-31T12:00:00.000Z`;
    const bosun = {
      agentId: "researcher",
      teamId: "insights",
      priority: "urgent",
      deadline,
      deliverables: ["report"],
      budget: { maxCost: 1 },
    };
    const { id } = await sent(client, summarize({}, { bosun }));
    expect(await read(id)).toMatchObject({
      task: "Summarise the text",
      agentId: "researcher",
      teamId: "insights",
      priority: "urgent",
      deadline,
      deliverables: [{ type: "report" }, { type: "report" }],
      budget: { maxCost: 1 },
      context: { text: TEXT },
    });
  });

  it("the response warns about budget fields that are not enforced", async () => {
    const client = await clientOf(binding);
    const warnings = [expect.stringContaining('"maxUsd" is stored but not enforced')];
    const task = await sent(client, summarize({}, { bosun: { budget: { maxUsd: 3 } } }));
    expect(task.metadata).toMatchObject({ bosun: { warnings } });
  });

  it("a message can contain a table as a file, as text or as bytes", COLD, async () => {
    const client = await clientOf(binding);
    const named = { filename: "sales.csv", mediaType: "text/csv" };
    for (const content of [
      { $case: "text", value: ROWS },
      { $case: "raw", value: Buffer.from(ROWS) },
    ] as const) {
      const bosun = { agentId: "data-analyst" };
      const of = message("Describe the sales", { bosun, more: [part(content, named)] });
      const task = await sent(client, of);
      expect((await read(task.id)).context).toEqual({ csv: ROWS });
      expect(String(task.artifacts[0]?.parts[0]?.content?.value)).toContain("sales");
    }
  });

  it("text beyond the maximum length of a task's description goes into the context", async () => {
    const client = await clientOf(binding);
    const words = `Summarise this. ${"The wind turned north. ".repeat(300)}`.trim();
    const { id } = await sent(client, message(words));
    const task = await read(id);
    expect(task.task.length).toBeLessThanOrEqual(4_000);
    expect(`${task.task} ${task.context.text}`).toBe(words);
  });

  it("a message that contains an instruction and its input produces a summary of the input", async () => {
    const client = await clientOf(binding);
    const input = "A bosun looks after the hull and the boats of a ship. The crew reports to him.";
    const task = await sent(client, message(`Summarise: ${input}`));
    const { result } = await read(task.id);
    expect(result.summary).toContain("17 words in 2 sentences of task.text");
    expect(result.insights.join("\n")).toMatch(/Sentence \d is central: "(?:A bosun|The crew)/);
  });

  it("the whole input of a long message goes into the context", async () => {
    const client = await clientOf(binding);
    const input = "The wind turned north. ".repeat(300).trim();
    const { id } = await sent(client, message(`Summarise this:\n\n${input}`));
    expect(await read(id)).toMatchObject({ task: "Summarise this", context: { text: input } });
  });

  it("a long message in which no input is recognised goes into the context in full", async () => {
    const client = await clientOf(binding);
    const words = "The wind turned north. ".repeat(300).trim();
    const { id } = await sent(client, message(words));
    const task = await read(id);
    expect(words.startsWith(task.task)).toBe(true);
    expect(task.context.text).toBe(words);
  });

  it("a task shows its history up to the requested length", async () => {
    const client = await clientOf(binding);
    const task = await sent(client, summarize({ askFirst: "Which year?" }));
    expect(task.status).toMatchObject({ state: STATE.inputRequired });
    expect(textOf(task.status?.message)).toBe("Which year?");
    const says = task.history.map((one) => [one.role, textOf(one), one.taskId, one.contextId]);
    expect(says).toEqual([
      [1, "Summarise the text", task.id, task.contextId],
      [2, "Which year?", task.id, task.contextId],
    ]);
    const { id } = task;
    const last = await client.getTask({ tenant: "", id, historyLength: 1 });
    expect(last.history).toEqual(task.history.slice(1));
    expect((await client.getTask({ tenant: "", id, historyLength: 0 })).history).toEqual([]);
  });

  it("an unknown agent or team or an invalid field is rejected and named, and no task is created", async () => {
    const client = await clientOf(binding);
    const count = async (): Promise<number> =>
      (await env.DB.prepare("SELECT count(*) AS n FROM directory").first("n")) ?? 0;
    const before = await count();
    const cases = [
      [{ agentId: "nobody" }, "nobody"],
      [{ teamId: "nowhere" }, "nowhere"],
      [{ agentId: "researcher", teamId: "studio" }, "message.metadata.bosun.agentId"],
      [{ priority: "soon" }, "message.metadata.bosun.priority"],
      [{ deadline: "2020-01-01" }, "message.metadata.bosun.deadline"],
      [{ deadline: "2020-01-01T00:00:00Z" }, "message.metadata.bosun.deadline"],
      [{ agentId: "a".repeat(129) }, "message.metadata.bosun.agentId"],
      [{ color: "red" }, "message.metadata.bosun.color"],
      [{ decision: "approve" }, "message.metadata.bosun.decision"],
    ] as const;
    for (const [bosun, words] of cases) {
      const error = await errorNameOf(sent(client, message("Summarise the text", { bosun })));
      expect(error).toEqual({
        name: "RequestMalformedError",
        message: expect.stringContaining(words),
      });
    }
    expect(await count()).toBe(before);
  });
});
