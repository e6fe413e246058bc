import { goodCard } from "./cards.ts";
import {
  answers,
  asTask,
  file,
  handed,
  MEBIBYTE,
  opened,
  plain,
  refuses,
  status,
  streams,
  TASK,
  task,
  update,
  words,
  type Step,
} from "./protocol.ts";

/** How a server responds to each method, and how its card differs from a valid one. */
export interface Behaviour {
  readonly card?: object;
  readonly methods: Readonly<Record<string, Step>>;
}

const REPORT = file("report.md", { text: "# All is well", mediaType: "text/markdown" });
const WHOLE = task("COMPLETED", "Done.", { artifacts: [REPORT] });
const NO_STREAMS = { capabilities: {} };

/**
 * A server that streams its responses. `first` handles messages, `then` handles subscriptions, and
 * reading the task returns `whole`.
 */
function streaming(first: Step, then: Step = streams(asTask("WORKING")), whole = WHOLE): Behaviour {
  return {
    methods: { SendStreamingMessage: first, SubscribeToTask: then, GetTask: answers(whole) },
  };
}

function polled(
  first: Step,
  look: Step = answers(WHOLE),
  more: Record<string, Step> = {},
): Behaviour {
  return { card: NO_STREAMS, methods: { SendMessage: first, GetTask: look, ...more } };
}

/** The first message leads to `state`. Another message to the same task completes it. */
function ending(state: string, text?: string): Behaviour {
  return streaming(({ params, ...call }) => {
    const isAnswer = params.message?.taskId === TASK;
    const end = isAnswer ? update("COMPLETED", "Thank you.") : update(state, text);
    streams(asTask("WORKING"), end)({ params, ...call });
  });
}

const silence: Step = () => {};
const html = plain(200, { "Content-Type": "text/html" }, "<h1>Sign in</h1>");
const chunk = (text: string, more: object = {}) =>
  handed(file("report.md", { text, mediaType: "text/markdown" }), more);

const cut: Step = (call) => {
  const write = opened(call);
  write(asTask("WORKING", "Half way"));
  setTimeout(() => call.response.destroy(), 50);
};

const endless: Step = (call) => {
  const write = opened(call);
  write(asTask("WORKING", "Still at it"));
  const timer = setInterval(() => write(update("WORKING", "Still at it")), 100);
  call.response.once("close", () => clearInterval(timer));
};

const flood: Step = (call) => {
  const write = opened(call);
  write(asTask("WORKING"));
  const text = "x".repeat(MEBIBYTE);
  let left = 100;
  const more = (): void => {
    if (left === 0 || call.response.destroyed) return void call.response.end();
    left -= 1;
    write(chunk(text, { append: true }));
    setImmediate(more);
  };
  more();
};

const garbage: Step = (call) => {
  const write = opened(call);
  write(asTask("WORKING"));
  write({});
  write({ statusUpdate: { taskId: TASK } });
  write({ artifactUpdate: { taskId: TASK, artifact: null } });
  write({ task: {} });
  call.response.write("data: {not json at all\n\n");
};

const events: Readonly<Record<string, Behaviour>> = {
  good: streaming(streams(asTask("WORKING"), handed(REPORT), update("COMPLETED", "Done."))),
  breaks: streaming(cut, streams(asTask("WORKING"), handed(REPORT), update("COMPLETED", "Done."))),
  "breaks-always": streaming(cut, cut),
  "breaks-silent": streaming(cut, silence),
  "ends-early": streaming(streams(asTask("WORKING")), streams()),
  endless: streaming(endless, endless, task("WORKING", "Still at it")),
  flood: streaming(flood, flood),
  garbage: streaming(garbage, garbage),
  foreign: streaming(
    streams(
      asTask("WORKING"),
      update("FAILED", "Not yours.", "task-2"),
      { task: { ...task("REJECTED"), id: "task-3" } },
      { message: words("Not yours.") },
      update("COMPLETED", "Yours."),
    ),
    undefined,
    task("COMPLETED", "Yours."),
  ),
  backwards: streaming(
    streams(
      asTask("WORKING"),
      update("SUBMITTED"),
      update("COMPLETED", "Done."),
      update("WORKING", "Not done"),
    ),
    undefined,
    task("WORKING", "Not done"),
  ),
  chunks: streaming(
    streams(
      asTask("WORKING"),
      chunk("well"),
      chunk("# All ", { append: true }),
      chunk("well", { append: true }),
      chunk("well", { append: true }),
      update("COMPLETED", "Done."),
    ),
  ),
  forgets: streaming(
    streams(
      asTask("WORKING"),
      chunk("# All "),
      chunk("is well", { append: true, lastChunk: true }),
      update("COMPLETED"),
    ),
    undefined,
    task("COMPLETED"),
  ),
  "stream-lie": {
    methods: {
      SendStreamingMessage: refuses(-32004, "Streaming is not supported"),
      SubscribeToTask: refuses(-32601, "Method not found"),
      SendMessage: answers(asTask("WORKING")),
      GetTask: answers(WHOLE),
    },
  },
  "progress-reported": streaming(
    streams(
      asTask("WORKING"),
      {
        statusUpdate: {
          taskId: TASK,
          status: status("WORKING", "Counting"),
          metadata: { progress: 61.7 },
        },
      },
      update("INPUT_REQUIRED", "Go on?"),
    ),
  ),
};

const endings: Readonly<Record<string, Behaviour>> = {
  input: ending("INPUT_REQUIRED", "Which year?"),
  "input-silent": ending("INPUT_REQUIRED"),
  auth: ending("AUTH_REQUIRED", "Sign in at https://login.example.com/"),
  rejected: ending("REJECTED", "I only count."),
  canceled: ending("CANCELED", "Nobody asked me."),
  failed: ending("FAILED", "The ink is dry."),
  "failed-silent": ending("FAILED"),
  unknown: ending("DREAMING", "Zzz"),
  message: streaming(streams({ message: words("Forty-two.") })),
  "message-polled": polled(answers({ message: words("Forty-two.") })),
  "input-stale": polled(
    answers({
      task: {
        ...task("INPUT_REQUIRED"),
        status: {
          state: "TASK_STATE_INPUT_REQUIRED",
          timestamp: "2026-01-01T00:00:00Z",
          message: words("Which year?"),
        },
      },
    }),
  ),
};

const failures: Readonly<Record<string, Behaviour>> = {
  html: polled(html),
  "html-later": polled(answers(asTask("WORKING")), html),
  "wrong-id": polled(({ response }) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id: "other", result: asTask("WORKING") })),
  ),
  "not-json-rpc": polled(({ response }) => response.end(JSON.stringify({ hello: "you" }))),
  nothing: polled(answers({})),
  "empty-task": polled(answers({ task: {} })),
  "bad-parts": polled(answers({ task: task("COMPLETED", undefined, { artifacts: [null, 7] }) })),
  deep: polled(({ response, id }) =>
    response.end(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
    ),
  ),
  "changed-id": polled(answers(asTask("WORKING")), answers({ ...task("COMPLETED"), id: "task-9" })),
  lost: polled(answers(asTask("WORKING")), refuses(-32001, "Task not found")),
  "401": polled(plain(401)),
  "401-later": polled(answers(asTask("WORKING")), (call) =>
    (call.request.headers.authorization === undefined ? plain(401) : answers(WHOLE))(call),
  ),
  "403": polled(plain(403)),
  "404": polled(plain(404)),
  "429": polled(plain(429, { "Retry-After": "7" })),
  "429-long": polled(plain(429, { "Retry-After": "86400" })),
  "500": polled(plain(500)),
  "503-later": polled(answers(asTask("WORKING")), plain(503, { "Retry-After": "30" })),
  "rpc-internal": polled(refuses(-32603, "Out of paper", 500)),
  "rpc-params": polled(refuses(-32602, "message.parts is too long")),
  "rpc-version": polled(refuses(-32009, "Only 2.0 is spoken here")),
  reset: polled(({ response }) => void response.destroy()),
  hangs: polled(silence),
  "hangs-later": polled(answers(asTask("WORKING")), silence),
  huge: polled(answers(asTask("WORKING")), ({ response }) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end("x".repeat(20 * MEBIBYTE));
  }),
  "echo-key": polled(({ request, id, response }) =>
    response.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        error: { code: -32602, message: `You sent ${request.headers.authorization}` },
      }),
    ),
  ),
  key: polled((call) =>
    (call.request.headers.authorization === undefined ? plain(401) : answers({ task: WHOLE }))(
      call,
    ),
  ),
};

const SCORES = { score: 90, accuracy: 80, completeness: 70, clarity: 60 };
const CSV = Buffer.from("a,b\n1,2\n").toString("base64");

const outcomes: Readonly<Record<string, Behaviour>> = {
  files: polled(({ origin, ...call }) =>
    answers({
      task: task("COMPLETED", "Six files.", {
        artifacts: [
          file("Table", { raw: CSV, filename: "../../etc/Été final.CSV", mediaType: "text/csv" }),
          file("Table", { raw: CSV, filename: "ete-final.csv" }),
          file("Numbers", { data: { raw: "kept as it is", list: [1, 2] } }),
          file(
            "Text",
            { text: "one, " },
            { text: "two" },
            { text: "{}", mediaType: "application/json" },
          ),
          file("Broken", { raw: "%%%", filename: "broken.bin" }),
          file("Linked", { url: `${origin}/file/chart.png`, mediaType: "image/png" }),
          file("Missing", { url: `${origin}/file/missing`, filename: "missing.pdf" }),
          file("Local", { url: "file:///etc/passwd" }, {}),
        ],
      }),
    })({ origin, ...call }),
  ),
  "many-files": polled(
    answers({
      task: task("COMPLETED", "Sixty.", {
        artifacts: Array.from({ length: 60 }, (_, place) => file(`page ${place}`, { text: "x" })),
      }),
    }),
  ),
  "big-file": polled(
    answers({
      task: task("COMPLETED", "Big.", {
        artifacts: [
          file("big", { raw: Buffer.alloc(11 * MEBIBYTE).toString("base64"), filename: "big.bin" }),
        ],
      }),
    }),
  ),
  result: polled(
    answers({
      task: task("COMPLETED", "Ignored.", {
        artifacts: [
          file("result", {
            data: {
              summary: "Counted.",
              insights: ["Many."],
              recommendations: ["Count on."],
              quality: SCORES,
            },
          }),
        ],
      }),
    }),
  ),
  "result-odd": polled(
    answers({
      task: task("COMPLETED", "Said.", {
        artifacts: [
          file("result", {
            data: {
              summary: 7,
              insights: "Many.",
              recommendations: ["Count on.", ""],
              quality: { score: 900 },
            },
          }),
        ],
      }),
    }),
  ),
};

/** Takes a second to respond. */
const late: Step = (call) => setTimeout(() => answers(asTask("WORKING"))(call), 1_000);
const stops: Record<string, Step> = { CancelTask: answers(task("CANCELED", "Stopped.")) };

const cancels: Readonly<Record<string, Behaviour>> = {
  late: polled(late, answers(task("WORKING")), stops),
  "cancel-500": polled(answers(asTask("WORKING")), undefined, { CancelTask: plain(500) }),
  "cancel-gone": polled(answers(asTask("WORKING")), undefined, {
    CancelTask: refuses(-32001, "Gone"),
  }),
  "cancel-ended": polled(answers(asTask("WORKING")), undefined, {
    CancelTask: refuses(-32002, "Ended"),
  }),
  "cancel-garbage": polled(answers(asTask("WORKING")), undefined, { CancelTask: html }),
};

export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  ...events,
  ...endings,
  ...failures,
  ...outcomes,
  ...cancels,
};

export function cardFor({ card = {} }: Behaviour, rpc: string): object {
  return goodCard(rpc, card);
}
