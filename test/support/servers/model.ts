/**
 * An endpoint that supports OpenAI's chat completions, Anthropic's Messages API and Google's Gemini
 * API. Valid responses come from aimock, which runs behind it. The server itself produces only the
 * misbehaviour that aimock cannot.
 */
import { LLMock, type FixtureResponse } from "@copilotkit/aimock";
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";

type Script = readonly FixtureResponse[];

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: {
    readonly model?: string;
    readonly stream?: boolean;
    readonly stream_options?: object;
    readonly max_tokens?: number;
  };
}

const scripts = new Map<string, Script>();
const served = new Map<string, number>();
const seen = new Map<string, { url: string; headers: object; body: object }[]>();

const FINISH: Script = [
  { toolCalls: [{ name: "finish", arguments: '{"summary":"All is done."}' }] },
];

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
mock.on({ endpoint: "chat" }, ({ model }) => {
  // A model without a script immediately calls `finish`.
  const script = scripts.get(model) ?? FINISH;
  const place = served.get(model) ?? 0;
  served.set(model, place + 1);
  const response = script[Math.min(place, script.length - 1)];
  if (response === undefined) throw new Error(`The script of ${model} is empty`);
  return response;
});

const TOO_MUCH_BYTES = 100_000_000;
const KEY = (call: Call): string =>
  String(call.request.headers.authorization ?? call.request.headers["x-key"] ?? "");

/** One event from a chat completions stream. */
function event(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "bad", choices };
  return `data: ${JSON.stringify({ ...chunk, ...more })}\n\n`;
}

function calling(name: string | null, text: string, index = 0): object {
  const id = `call_${index}`;
  return { tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] };
}

function* tooMuch(delta: object): Generator<string> {
  const chunk = event(delta, null, { padding: "p".repeat(16_000) });
  for (let sent = 0; sent < TOO_MUCH_BYTES; sent += chunk.length) yield chunk;
}

const DONE = "data: [DONE]\n\n";
const USED = { usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } };

function events({ response }: Call): ServerResponse {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  return response;
}

function status(code: number, message: string | null, headers: object = {}) {
  return ({ response }: Call): void => {
    response.writeHead(code, { "Content-Type": "application/json", ...headers });
    response.end(message === null ? "" : JSON.stringify({ error: { message, type: "t" } }));
  };
}

function json(body: object) {
  return ({ response }: Call): void => {
    response.writeHead(200, { "Content-Type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(body));
  };
}

/** A chat completion that is not streamed. */
function completion(message: object, finish: string): object {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }];
  return { id: "c", object: "chat.completion", created: 1, model: "bad", choices, ...USED };
}

/** Misbehaviours, by name: POST /bad/<name>/…. */
const BAD: Readonly<Record<string, (call: Call) => void | Promise<void>>> = {
  "400": status(400, "messages[0] is too long"),
  "401": (call) => status(401, `Incorrect API key provided: ${KEY(call)}`)(call),
  "402": status(402, "Insufficient credits"),
  "403": status(403, "This key may not use the model"),
  "404": status(404, "The model does not exist"),
  "408": status(408, null),
  "422": ({ response }) => {
    response.writeHead(422, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ detail: [{ msg: "bad", message: "field required" }] }));
  },
  "429": status(429, "Slow down", { "Retry-After": "7" }),
  "429-bare": status(429, "Slow down"),
  "429-long": status(429, "Come back tomorrow", { "Retry-After": "86400" }),
  "500": status(500, "Oops"),
  "503": status(503, null, { "Retry-After": "3" }),
  "deep-error": ({ response }) => {
    response.writeHead(400, { "Content-Type": "application/json" });
    response.end(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
  },
  html: ({ response }) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end("<!doctype html><title>Sign in</title>");
  },
  "json-without-answer": status(200, null),
  "json-error": (call) => status(200, `The model is loading; ${KEY(call)}`)(call),
  "json-other": json({ hello: "world" }),
  json: json(completion({ content: "Hello" }, "stop")),
  "json-without-usage": json({ choices: [{ message: { content: "Hello" } }] }),
  "json-calls": json(
    completion(
      { reasoning: "Done, I think.", ...calling("finish", '{"summary":"Done."}') },
      "stop",
    ),
  ),
  "json-cut-off": json(completion(calling("finish", '{"summary":"It was'), "length")),
  "json-large": json(completion({ content: "x".repeat(5 * 1024 * 1024) }, "stop")),
  empty: (call) => void events(call).end(),
  "broken-json": (call) => {
    events(call).end(`${event({ content: "Hel" })}data: {"choices":[{"del\n\n${DONE}`);
  },
  "not-the-protocol": (call) => void events(call).end(`data: {"hello":"world"}\n\n${DONE}`),
  "error-event": (call) => {
    const error = { message: `The server had an error; ${KEY(call)}`, type: "server_error" };
    events(call).end(`${event({ content: "Hel" })}data: ${JSON.stringify({ error })}\n\n`);
  },
  "no-end": (call) => void events(call).end(event({ content: "Hel" })),
  disconnect: async (call) => {
    events(call).write(event({ content: "Hel" }, null, USED));
    await wait(50);
    call.request.socket.resetAndDestroy();
  },
  reset: ({ request }) => void request.socket.resetAndDestroy(),
  "not-http": ({ request }) => void request.socket.end("SSH-2.0-OpenSSH_9.9\r\n\r\n"),
  hang: () => {},
  "hang-in-stream": (call) => void events(call).write(event({ content: "Hel" })),
  drip: async (call) => {
    const response = events(call);
    while (!response.destroyed) {
      response.write(event({ content: "la " }));
      await wait(5);
    }
  },
  large: (call) =>
    pipeline(Readable.from(tooMuch({ content: "x".repeat(64 * 1024) })), events(call)),
  "large-around": (call) => pipeline(Readable.from(tooMuch({ content: "x" })), events(call)),
  "bad-arguments": (call) => {
    const half = event(calling("finish", "this is not JSON"));
    events(call).end(`${half}${event({}, "tool_calls", USED)}${DONE}`);
  },
  "half-arguments": (call) => {
    const half = event(calling("finish", '{"summary":"It was a dark and'));
    events(call).end(`${half}${event({}, "length", USED)}${DONE}`);
  },
  "deep-arguments": (call) => {
    const deep = `{"summary":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    events(call).end(`${event(calling("finish", deep))}${event({}, "tool_calls", USED)}${DONE}`);
  },
  nameless: (call) => {
    events(call).end(`${event(calling(null, "{}"))}${event({}, "tool_calls", USED)}${DONE}`);
  },
  "many-calls": (call) => {
    const response = events(call);
    for (let index = 0; index < 1_000; index += 1) {
      response.write(event(calling("deliver_file", `{"name":"${index}"}`, index)));
    }
    response.end(`${event({}, "tool_calls", USED)}${DONE}`);
  },
  "lying-usage": (call) => {
    const usage = { prompt_tokens: -5, completion_tokens: 1e300 };
    events(call).end(`${event({ content: "Hello" })}${event({}, "stop", { usage })}${DONE}`);
  },
  "no-usage": (call) => {
    events(call).end(`${event({ content: "Hello there" })}${event({}, "stop")}${DONE}`);
  },
  silence: (call) => void events(call).end(`${event({}, "stop", USED)}${DONE}`),
  filtered: (call) => void events(call).end(`${event({}, "content_filter", USED)}${DONE}`),
  "new-limit": (call) =>
    call.body.max_tokens === undefined
      ? json(completion({ content: "Hello" }, "stop"))(call)
      : status(
          400,
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        )(call),
  "low-limit": status(400, "max_tokens is too large: 1000. This model supports at most 512."),
  "no-limit": status(
    400,
    "Unsupported parameter: 'max_tokens', use max_completion_tokens instead.",
  ),
  "no-streaming": (call) => {
    if (call.body.stream_options !== undefined)
      return status(400, "Unrecognized request argument supplied: stream_options")(call);
    if (call.body.stream === true) return status(400, "Streaming is not supported here.")(call);
    return json(completion(calling("finish", '{"summary":"Done."}'), "tool_calls"))(call);
  },
  "google-key": status(400, "API key not valid. Please pass a valid API key."),
  "anthropic-overloaded": (call) => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    events(call).end(`event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`);
  },
  "anthropic-no-end": (call) => {
    const usage = { input_tokens: 11, output_tokens: 1 };
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      content: [],
      model: "bad",
      usage,
    };
    const block = {
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    };
    const delta = { type: "text_delta", text: "Hel" };
    const list = [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      block,
      { type: "content_block_delta", index: 0, delta },
    ];
    const text = list.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`);
    events(call).end(text.join(""));
  },
  "anthropic-json": json({
    id: "m",
    type: "message",
    role: "assistant",
    model: "bad",
    content: [{ type: "tool_use", id: "t", name: "finish", input: { summary: "Done." } }],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  "google-no-end": (call) => {
    const content = { role: "model", parts: [{ text: "Hel" }] };
    events(call).end(`data: ${JSON.stringify({ candidates: [{ content, index: 0 }] })}\n\n`);
  },
  "google-json": json({
    candidates: [
      {
        index: 0,
        content: {
          role: "model",
          parts: [{ functionCall: { name: "finish", args: { summary: "Done." } } }],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  }),
  "tells-the-key": (call) => {
    const summary = JSON.stringify({ summary: `The key is ${KEY(call)}` });
    const text = event({ content: `I was given ${KEY(call)}` });
    const asked = event(calling("finish", summary));
    events(call).end(`${text}${asked}${event({}, "tool_calls", USED)}${DONE}`);
  },
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await textOf(request);
  const { pathname } = new URL(request.url ?? "/", "http://model");
  const [, first = "", second = ""] = pathname.split("/").map(decodeURIComponent);
  // PUT /script/<model>: a list of aimock responses, one per request. The last one repeats.
  if (first === "script") {
    scripts.set(second, JSON.parse(text));
    served.delete(second);
    seen.delete(second);
    return void response.end();
  }
  // GET /seen/<name>: the requests received for this model or misbehaviour.
  if (first === "seen") {
    response.setHeader("Content-Type", "application/json");
    return void response.end(JSON.stringify({ requests: seen.get(second) ?? [] }));
  }
  const body = JSON.parse(text === "" ? "{}" : text);
  const key = first === "bad" ? second : modelIn(pathname, body);
  const { url = "", headers } = request;
  seen.set(key, [...(seen.get(key) ?? []), { url, headers, body }]);
  // Requests to the providers' own paths go to aimock.
  if (first !== "bad") return passOn(request, response, text);
  const act = BAD[second];
  if (act === undefined) return void response.writeHead(404).end();
  await act({ request, response, body });
}

/** The Gemini API names the model in the path, and the other APIs name it in the body. */
function modelIn(pathname: string, body: Call["body"]): string {
  return /\/models\/([^/:]+):/.exec(pathname)?.[1] ?? String(body.model);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

function passOn(request: IncomingMessage, response: ServerResponse, text: string): void {
  const { method = "POST", headers, url = "/" } = request;
  const own = { ...headers, "content-length": String(Buffer.byteLength(text)) };
  const onward = send(`${mock.url}${url}`, { method, headers: own }, (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  });
  onward.once("error", () => response.destroy());
  onward.end(text);
}

await mock.start();
const server = createServer((request, response) => {
  // Some clients are expected to disconnect early.
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  // The address is an object, because the server listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  console.log(`ready http://127.0.0.1:${port}`);
});
process.once("SIGTERM", () => process.exit(0));
