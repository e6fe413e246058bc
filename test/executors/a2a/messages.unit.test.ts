import { describe, expect, it } from "vitest";
import {
  createA2aCheckpoint,
  parseA2aCheckpoint,
  serializeA2aCheckpoint,
  type A2aCheckpoint,
} from "../../../src/executors/a2a/checkpoint.ts";
import {
  markMessageDelivered,
  buildA2aMessage,
  selectMessageReason,
} from "../../../src/executors/a2a/messages.ts";
import { agentCostQuestion } from "../../../src/tasks/model/agent-cost.ts";
import { A2aTurnHarness, TASK_ID } from "./turn-harness.ts";

const FRESH = createA2aCheckpoint(0);
const STARTED: A2aCheckpoint = { ...FRESH, isStarted: true, taskId: "remote", contextId: "room" };

function createBlockedHarness(): A2aTurnHarness {
  const harness = new A2aTurnHarness({ context: { a: 1 } });
  harness.event({
    type: "blocked",
    data: { kind: "input", question: "Which year?", calls: [], work: {} },
  });
  return harness;
}

describe("the next message to an agent", () => {
  it("an agent receives the task first and then each answer once", () => {
    const harness = createBlockedHarness();
    expect(selectMessageReason(harness.task, FRESH)).toBe("start");
    expect(selectMessageReason(harness.task, STARTED)).toBeNull();
    harness.respond("1994");
    expect(selectMessageReason(harness.task, STARTED)).toBe("answer");
    expect(
      selectMessageReason(harness.task, markMessageDelivered(harness.task, STARTED, 5)),
    ).toBeNull();
    // Bosun itself asked this question, for example because a key is missing.
    expect(selectMessageReason(harness.task, { ...STARTED, own: [0] })).toBeNull();
  });

  it("an agent does not receive the answer to a question about its own price", () => {
    const harness = new A2aTurnHarness();
    const question = agentCostQuestion({ maxCost: 1 });
    harness.event({ type: "blocked", data: { kind: "budget", question, calls: [], work: {} } });
    harness.respond("2");
    expect(selectMessageReason(harness.task, STARTED)).toBeNull();
  });

  it("an agent receives each round's review comment once", () => {
    const { task } = new A2aTurnHarness();
    const reviewed = { ...task, round: 1, reviewComments: ["Shorter."] };
    expect(selectMessageReason(reviewed, STARTED)).toBe("changes");
    expect(selectMessageReason(reviewed, markMessageDelivered(reviewed, STARTED, 5))).toBeNull();
    expect(
      selectMessageReason({ ...reviewed, round: 2 }, markMessageDelivered(reviewed, STARTED, 5)),
    ).toBe("changes");
  });
});

describe("a message", () => {
  const sent = (
    cause: "start" | "answer" | "changes",
    harness: A2aTurnHarness,
    held = STARTED,
    takesData = true,
  ) => buildA2aMessage(cause, TASK_ID, harness.task, held, takesData);

  it("a message id contains the attempt and the event that started the work", () => {
    const harness = createBlockedHarness();
    expect(sent("start", harness, FRESH).messageId).toBe(`${TASK_ID}-1-0`);
    harness.respond("1994");
    expect(sent("answer", harness).messageId).toBe(`${TASK_ID}-1-5`);
  });

  it("a start creates a task, an answer continues it, and requested changes create a new task in the same context", () => {
    const harness = createBlockedHarness();
    const target = (reason: "start" | "answer" | "changes") => {
      const { taskId, contextId, referenceTaskIds } = sent(reason, harness);
      return [taskId, contextId, referenceTaskIds];
    };
    expect(target("start")).toEqual(["", "", []]);
    expect(target("answer")).toEqual(["remote", "room", []]);
    expect(target("changes")).toEqual(["", "room", ["remote"]]);
  });

  it("a message carries a text answer as text and a JSON answer as data", () => {
    const harness = createBlockedHarness();
    harness.respond("1994");
    const values = (held: A2aCheckpoint, takesData = true) =>
      sent("answer", harness, held, takesData).parts.map(({ content }) => content);
    expect(values(STARTED)).toEqual([{ $case: "text", value: "1994" }]);
    harness.event({
      type: "blocked",
      data: { kind: "input", question: "And?", calls: [], work: {} },
    });
    harness.respond({ ships: 3 });
    const answered = { ...STARTED, answers: 1 };
    expect(values(answered)).toEqual([{ $case: "data", value: { ships: 3 } }]);
    expect(values(answered, false)).toEqual([{ $case: "text", value: '{\n  "ships": 3\n}' }]);
    harness.event({
      type: "blocked",
      data: { kind: "input", question: "So?", calls: [], work: {} },
    });
    harness.respond(null);
    expect(values({ ...STARTED, answers: 2 })).toEqual([{ $case: "text", value: "Continue." }]);
  });

  it("a request for changes has the same context and only the new comments", () => {
    const harness = new A2aTurnHarness();
    harness.task = { ...harness.task, round: 2, reviewComments: ["Old.", "New."] };
    const message = sent("changes", harness, { ...STARTED, comments: 1 });
    expect(message).toMatchObject({
      taskId: "",
      contextId: "room",
      referenceTaskIds: ["remote"],
    });
    const [first] = message.parts;
    expect(first?.content?.value).toBe("The reviewer requested changes:\n\nNew.");
    const silent = sent("changes", harness, { ...STARTED, comments: 2 });
    expect(silent.parts[0]?.content?.value).toContain("without saying which");
  });
});

describe("the checkpoint between turns", () => {
  it("a checkpoint survives serialisation and is null if it is incomplete", () => {
    const endpoint = {
      cardUrl: "https://a.example.com/card",
      url: "https://a.example.com/rpc",
      binding: "JSONRPC",
      tenant: "",
      streaming: true,
      takesData: false,
    } as const;
    const held = { ...STARTED, endpoint, own: [1], asked: "6  " };
    expect(parseA2aCheckpoint(JSON.parse(JSON.stringify(serializeA2aCheckpoint(held))))).toEqual(
      held,
    );
    expect(parseA2aCheckpoint({})).toBeNull();
    expect(parseA2aCheckpoint({ a2a: { taskId: 7 } })).toBeNull();
  });
});
