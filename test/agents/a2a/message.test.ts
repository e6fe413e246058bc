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
import { Desk, TASK_ID } from "./desk.ts";

const FRESH = createA2aCheckpoint(0);
const STARTED: A2aCheckpoint = { ...FRESH, isStarted: true, taskId: "remote", contextId: "room" };

function blockedDesk(): Desk {
  const desk = new Desk({ context: { a: 1 } });
  desk.event({
    type: "blocked",
    data: { kind: "input", question: "Which year?", calls: [], work: {} },
  });
  return desk;
}

describe("what an agent must hear of next", () => {
  it("is the task, then each answer once, then nothing", () => {
    const desk = blockedDesk();
    expect(selectMessageReason(desk.task, FRESH)).toBe("start");
    expect(selectMessageReason(desk.task, STARTED)).toBeNull();
    desk.respond("1994");
    expect(selectMessageReason(desk.task, STARTED)).toBe("answer");
    expect(selectMessageReason(desk.task, markMessageDelivered(desk.task, STARTED, 5))).toBeNull();
    // The question was ours, as when a key is missing.
    expect(selectMessageReason(desk.task, { ...STARTED, own: [0] })).toBeNull();
  });

  it("is a review's comment, once a round", () => {
    const { task } = new Desk();
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
    desk: Desk,
    held = STARTED,
    takesData = true,
  ) => buildA2aMessage(cause, TASK_ID, desk.task, held, takesData);

  it("has an id that tells the attempt and the event that set the agent to work", () => {
    const desk = blockedDesk();
    expect(sent("start", desk, FRESH).messageId).toBe(`${TASK_ID}-1-0`);
    desk.respond("1994");
    expect(sent("answer", desk).messageId).toBe(`${TASK_ID}-1-5`);
  });

  it("carries an answer as it was given: words as text, JSON as data", () => {
    const desk = blockedDesk();
    desk.respond("1994");
    const values = (held: A2aCheckpoint, takesData = true) =>
      sent("answer", desk, held, takesData).parts.map(({ content }) => content);
    expect(values(STARTED)).toEqual([{ $case: "text", value: "1994" }]);
    desk.event({ type: "blocked", data: { kind: "input", question: "And?", calls: [], work: {} } });
    desk.respond({ ships: 3 });
    const told = { ...STARTED, answers: 1 };
    expect(values(told)).toEqual([{ $case: "data", value: { ships: 3 } }]);
    expect(values(told, false)).toEqual([{ $case: "text", value: '{\n  "ships": 3\n}' }]);
    desk.event({ type: "blocked", data: { kind: "input", question: "So?", calls: [], work: {} } });
    desk.respond(null);
    expect(values({ ...STARTED, answers: 2 })).toEqual([{ $case: "text", value: "Go on." }]);
  });

  it("asks for changes in the same context, with the comments that are new", () => {
    const desk = new Desk();
    desk.task = { ...desk.task, round: 2, reviewComments: ["Old.", "New."] };
    const message = sent("changes", desk, { ...STARTED, comments: 1 });
    expect(message).toMatchObject({
      taskId: "",
      contextId: "room",
      referenceTaskIds: ["remote"],
    });
    const [first] = message.parts;
    expect(first?.content?.value).toBe("The reviewer asks for changes:\n\nNew.");
    const silent = sent("changes", desk, { ...STARTED, comments: 2 });
    expect(silent.parts[0]?.content?.value).toContain("without saying which");
  });
});

describe("what turns leave for each other", () => {
  it("survives the log, and is nothing when it is not whole", () => {
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
