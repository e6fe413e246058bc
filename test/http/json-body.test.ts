import { beforeAll, describe, expect, it } from "vitest";
import { patch, post, type Answer } from "../support/client.ts";
import { sendBytes } from "../support/raw-request.ts";
import { expectProblems, expectError } from "../support/expect-errors.ts";
import { create, read, stopClock } from "../support/tasks.ts";

const createWith = (body: string) => post("/agents/tasks", body);
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === "string" ? [...new TextEncoder().encode(part)] : part,
    ),
  );
const createOf = (body: Uint8Array): Promise<Answer> => sendBytes("POST", "/agents/tasks", body);

beforeAll(stopClock);

describe("INVALID_JSON", () => {
  it.each([
    ["an empty body", ""],
    ["white space", "  \n"],
    ["half an object", '{"task":"x"'],
    ["a trailing comma", '{"task":"x",}'],
    ["single quotes", "{'task':'x'}"],
    ["a comment", '{"task":"x"} // now'],
    ["two values", '{"task":"x"}{"task":"y"}'],
    ["NaN", '{"task":NaN}'],
    ["a number with a leading zero", '{"task":"x","budget":{"maxCost":01}}'],
    ["a raw line break inside a string", '{"task":"a\nb"}'],
    ["a broken escape", '{"task":"\\x41"}'],
    ["form fields", "task=x"],
  ])("a body that is not JSON is rejected: %s", async (_, body) => {
    const answer = await createWith(body);
    expectError(answer, 400, "INVALID_JSON");
    expect(answer.body.error.message).toMatch(/^The body must be JSON in UTF-8: \S/);
  });

  it.each([
    ["a byte that never occurs", bytes('{"task":"', [0xff], '"}')],
    ["an overlong form", bytes('{"task":"', [0xc0, 0xaf], '"}')],
    ["a truncated sequence", bytes('{"task":"', [0xe2, 0x82], '"}')],
    ["an encoded surrogate", bytes('{"task":"', [0xed, 0xa0, 0x80], '"}')],
    ["Latin-1", bytes('{"task":"caf', [0xe9], '"}')],
    [
      "UTF-16",
      bytes(
        [0xff, 0xfe],
        Array.from('{"task":"x"}').flatMap((letter) => [letter.charCodeAt(0), 0]),
      ),
    ],
  ])("a body that is not UTF-8 is rejected: %s", async (_, body) => {
    const answer = await createOf(body);
    expectError(answer, 400, "INVALID_JSON");
    expect(answer.body.error.message).toContain("its bytes are not UTF-8");
  });
});

describe("accepted JSON", () => {
  it("a body with a byte order mark at its start is accepted", async () => {
    const answer = await createOf(bytes([0xef, 0xbb, 0xbf], '{"task":"marked"}'));
    expect([answer.status, answer.body.data.task]).toEqual([201, "marked"]);
  });

  it("a byte order mark inside a string is part of it", async () => {
    const answer = await createWith('{"task":"\ufeffx"}');
    expect(answer.body.data.task).toBe("\ufeffx");
  });

  it("the last of duplicate keys wins", async () => {
    const body = '{"task":"first","context":{"a":1,"a":2},"task":"last"}';
    const { taskId, task } = (await createWith(body)).body.data;
    expect([task, (await read(taskId)).context]).toEqual(["last", { a: 2 }]);
  });

  it("a well-formed string is kept unchanged", async () => {
    const task = "e\u0301 😀 \u202e \u200b \u0001 \u007f \ufffd \uffff";
    expect((await post("/agents/tasks", { task })).body.data.task).toBe(task);
  });

  it("an escaped surrogate pair is decoded to its character", async () => {
    expect((await createWith('{"task":"\\ud83d\\ude00"}')).body.data.task).toBe("😀");
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", ""])(
    "the key %j is accepted inside a context like any other key",
    async (key) => {
      const id = await create();
      const context = `{"context":{${JSON.stringify(key)}:{"polluted":true},"other":1}}`;
      expect((await patch(`/agents/tasks/${id}`, context)).status).toBe(200);
      const seen = (await read(id)).context;
      expect(Object.entries(seen)).toContainEqual([key, { polluted: true }]);
      expect(seen.other).toBe(1);
      expect({}).not.toHaveProperty("polluted");
    },
  );
});

describe("the content of a body", () => {
  it.each(["[]", "[1]", '"task"', "1", "true", "null"])(
    "the body %s is rejected because it is not an object",
    async (body) => {
      expectProblems(await createWith(body), { body: `must be an object, got ${body}` });
      const id = await create();
      expectProblems(await post(`/agents/tasks/${id}/cancel`, body), { body: /must be an object/ });
    },
  );

  it("all unknown keys are listed by name, together with the known keys", async () => {
    expectProblems(await post("/agents/tasks", { task: "x", agent: "y", Priority: "low" }), {
      agent:
        /known fields: task, agentId, teamId, context, priority, deadline, deliverables, budget, title, labels, externalId$/,
      Priority: "is not a known field",
    });
  });

  it.each(["__proto__", "constructor", ""])("the unknown key %j is rejected", async (key) => {
    const answer = await createWith(`{"task":"x",${JSON.stringify(key)}:{"a":1}}`);
    expectError(answer, 400, "VALIDATION_ERROR");
    expect(answer.body.error.details[0].message).toContain("is not a known field");
  });
});

describe("depth", () => {
  it("a body with 32 levels, of which the body itself is the first, is accepted", async () => {
    const answer = await createWith(
      '{"task":"x","context":{"a":' + "[".repeat(30) + "]".repeat(30) + "}}",
    );
    expect(answer.status).toBe(201);
  });

  it("a body with 33 levels is rejected with the path of the last level", async () => {
    const answer = await createWith(
      '{"task":"x","context":{"a":' + "[".repeat(31) + "]".repeat(31) + "}}",
    );
    expectProblems(answer, { [`context.a${"[0]".repeat(30)}`]: "at most 32 levels" });
  });

  it.each([
    ["5,000 lists", "[".repeat(5_000), "]".repeat(5_000)],
    ["5,000 objects", '{"a":'.repeat(5_000), "}".repeat(5_000)],
    ["500,000 lists", "[".repeat(500_000), "]".repeat(500_000)],
  ])("a body of %s is rejected with a short error", async (_, open, close) => {
    for (const field of ["context", "task", "budget", "unknown"]) {
      const answer = await createWith(`{"${field}":${open}1${close}}`);
      expectError(answer, 400, "VALIDATION_ERROR");
      expect(answer.text).toContain("at most 32 levels");
      expect(answer.text.length).toBeLessThan(5_000);
    }
  });
});

describe("numbers", () => {
  it.each(["9007199254740991", "-9007199254740991", "0.1", "-0", "1e15", "2.5e-300", "1.0"])(
    "the number %s is accepted",
    async (number) => {
      expect((await createWith(`{"task":"x","context":{"n":${number}}}`)).status).toBe(201);
    },
  );

  it.each([
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740993", "-9007199254740992"],
    ["1e16", "10000000000000000"],
    ["1e308", "1e+308"],
  ])("the integer %s is rejected because its magnitude exceeds 2^53 - 1", async (number, got) => {
    const answer = await createWith(`{"task":"x","context":{"list":[{"n":${number}}]}}`);
    expectProblems(answer, { "context.list[0].n": `to 2^53 - 1, got ${got}` });
  });

  it.each(["1e309", "-1e309", `1${"0".repeat(400)}`])(
    "the number %s is rejected because it is not finite",
    async (number) => {
      const answer = await createWith(`{"task":"x","context":{"n":${number}}}`);
      expectProblems(answer, { "context.n": "must be a finite number" });
    },
  );
});

describe("strings", () => {
  it.each([
    ["a high surrogate alone", "\\ud83d", "surrogate"],
    ["a low surrogate alone", "\\ude00", "surrogate"],
    ["a pair of surrogates in reverse order", "\\ude00\\ud83d", "surrogate"],
    ["U+0000", "\\u0000", "U\\+0000"],
  ])("%s is rejected in values at any depth, and in keys", async (_, escape, message) => {
    const problem = new RegExp(message);
    expectProblems(await createWith(`{"task":"a${escape}b"}`), { task: problem });
    expectProblems(await createWith(`{"task":"x","context":{"list":["a",{"k":"${escape}"}]}}`), {
      "context.list[1].k": problem,
    });
    const key: string = JSON.parse(`"${escape}"`);
    expectProblems(await createWith(`{"task":"x","context":{"${escape}":1}}`), {
      [`context.${key}`]: problem,
    });
  });
});
