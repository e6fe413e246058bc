import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { ODD_TOOLS } from "./hostile-mcp/odd-tools.ts";

/**
 * MCP servers over Streamable HTTP, one per path. Each behaves as its path says and otherwise
 * follows the protocol. `GET /seen/<visit>` returns the methods of the requests that were sent with
 * `?visit=<visit>`.
 */

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown>; cursor?: string };
  result?: unknown;
  error?: { code: number };
}

interface Exchange {
  readonly message: Message;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Step = (exchange: Exchange) => void;

/**
 * How a server deviates from the protocol, in response to individual methods or to all messages.
 */
interface Manner {
  readonly everything?: Step;
  readonly methods?: Record<string, Step>;
  /** Responds when a client resumes a stream. */
  readonly resume?: (response: ServerResponse) => void;
}

const TOOL = { name: "greet", inputSchema: { type: "object" } };
const FINE = { content: [{ type: "text", text: "fine" }] };
const MEBIBYTE = 1024 * 1024;

function json(response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "Content-Type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function stream(response: ServerResponse): (message: unknown, id?: string) => void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  return (message, id) => {
    response.write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`);
  };
}

const result = ({ id }: Message, value: unknown): object => ({ jsonrpc: "2.0", id, result: value });
const error = ({ id }: Message, code: number, message: string): object => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

const answers =
  (value: unknown): Step =>
  ({ message, response }) =>
    json(response, result(message, value));
const refuses =
  (code: number, text: string): Step =>
  ({ message, response }) =>
    json(response, error(message, code, text));
const status =
  (code: number, headers: Record<string, string> = {}, body = ""): Step =>
  ({ response }) => {
    response.writeHead(code, headers);
    response.end(body);
  };
const html: Step = ({ response }) => {
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
  response.end("<!doctype html><title>Sign in</title><h1>Sign in</h1>");
};
const silence: Step = () => {};
const onCall = (step: Step): Manner => ({ methods: { "tools/call": step } });
const onList = (step: Step): Manner => ({ methods: { "tools/list": step } });

/** The responses of a server with MCP revision 2025-11-25, which has sessions but no discovery. */
const DEFAULT_STEPS: Record<string, Step> = {
  "server/discover": refuses(-32601, "Method not found"),
  initialize: ({ message, response }) =>
    json(
      response,
      result(message, {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "hostile", version: "1.0.0" },
      }),
      { "Mcp-Session-Id": "session-1" },
    ),
  "tools/list": answers({ tools: [TOOL] }),
  "tools/call": answers(FINE),
};

const META = { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "2.0.0" } };
const MODERN: Record<string, Step> = {
  "server/discover": answers({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    instructions: "Says hello.",
    ttlMs: 0,
    cacheScope: "private",
    _meta: META,
  }),
  initialize: refuses(-32601, "Method not found"),
  "tools/list": answers({
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    tools: [{ ...TOOL, inputSchema: { type: "object", properties: { name: { type: "string" } } } }],
  }),
  "tools/call": ({ message, request, response }) =>
    json(
      response,
      result(message, {
        resultType: "complete",
        content: [{ type: "text", text: `Hello, ${String(message.params?.arguments?.["name"])}` }],
        structuredContent: ["any", { json: true }, request.headers["mcp-protocol-version"]],
      }),
    ),
};

/** Pending requests from a server to its client, by id. */
const asked = new Map<string | number, (answer: Message) => void>();
let questions = 0;

async function ask(
  say: (message: unknown) => void,
  method: string,
  params: object,
): Promise<Message> {
  questions += 1;
  const id = `question-${questions}`;
  const answer = new Promise<Message>((resolve) => asked.set(id, resolve));
  say({ jsonrpc: "2.0", id, method, params });
  return answer;
}

const asks: Step = ({ message, response }) => {
  const say = stream(response);
  const sampling = { messages: [], maxTokens: 1 };
  const elicitation = {
    message: "Your name?",
    requestedSchema: { type: "object", properties: {} },
  };
  void Promise.all([
    ask(say, "sampling/createMessage", sampling),
    ask(say, "elicitation/create", elicitation),
    ask(say, "roots/list", {}),
    ask(say, "ping", {}),
  ]).then((given) => {
    const text = given.map((one) => one.error?.code ?? JSON.stringify(one.result)).join(" ");
    say(result(message, { content: [{ type: "text", text }] }));
    response.end();
  });
};

const asksForEver: Step = ({ response }) => {
  const say = stream(response);
  const next = (): void => void ask(say, "ping", {}).then(next);
  next();
};

const drip: Step = ({ response }) => {
  stream(response);
  const timer = setInterval(() => response.write(": patience\n\n"), 20);
  response.once("close", () => clearInterval(timer));
};

const hugeStream: Step = ({ response }) => {
  const say = stream(response);
  const chunk = {
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { data: "x".repeat(1e5) },
  };
  const timer = setInterval(() => say(chunk), 5);
  response.once("close", () => clearInterval(timer));
};

const bomb: Step = ({ response }) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
  response.end(gzipSync(JSON.stringify({ text: "0".repeat(20 * MEBIBYTE) })));
};

const nested = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;

const needsKey =
  (isGiven: (request: IncomingMessage) => boolean): Step =>
  (exchange) => {
    if (isGiven(exchange.request)) polite(exchange);
    else status(401, { "WWW-Authenticate": 'Bearer realm="mcp"' })(exchange);
  };

const credentialOf = (request: IncomingMessage): string =>
  request.headers.authorization ??
  new URL(request.url ?? "", "http://x").searchParams.get("key") ??
  "";

const cursors: Step = ({ message, response }) => {
  const page = Number(message.params?.cursor ?? "0");
  const tools = [{ ...TOOL, name: `tool-${page}` }];
  json(response, result(message, { tools, nextCursor: String(page + 1) }));
};

const SERVERS: Record<string, Manner> = {
  good: {},
  stream: onCall(({ message, response }) => {
    stream(response)(result(message, FINE));
    response.end();
  }),
  modern: { methods: MODERN },
  "modern-headers": {
    methods: {
      ...MODERN,
      "tools/list": answers({
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        tools: [
          {
            ...TOOL,
            inputSchema: {
              type: "object",
              properties: { name: { type: "string", "x-mcp-header": "Name" } },
            },
          },
        ],
      }),
      "tools/call": (exchange) => {
        const { message, request, response } = exchange;
        if (request.headers["mcp-param-name"] !== undefined)
          return MODERN["tools/call"]?.(exchange);
        response.writeHead(400, { "Content-Type": "application/json" });
        response.end(JSON.stringify(error(message, -32020, "Header mismatch: Mcp-Param-Name")));
      },
    },
  },
  "modern-asks": {
    methods: {
      ...MODERN,
      "tools/call": answers({
        resultType: "input_required",
        inputRequests: { who: { method: "elicitation/create", params: { message: "Who?" } } },
      }),
    },
  },
  hang: { everything: silence },
  "hang-call": onCall(silence),
  drip: onCall(drip),
  html: { everything: html },
  "html-call": onCall(html),
  "500": { everything: status(500, {}, "Internal Server Error") },
  "500-call": onCall(status(500)),
  "503-call": onCall(status(503, { "Retry-After": "7" })),
  "401": { everything: status(401, { "WWW-Authenticate": 'Bearer realm="mcp"' }) },
  "403": { everything: status(403) },
  "404": { everything: status(404) },
  "header-key": { everything: needsKey((one) => credentialOf(one) === "Bearer top-secret-token") },
  "query-key": { everything: needsKey((one) => credentialOf(one) === "top secret&token") },
  "lies-types": onCall(answers({ content: "fine", structuredContent: 5 })),
  "lies-content": onCall(answers({ content: [{ type: "text", text: 5 }] })),
  "lies-initialize": { methods: { initialize: answers({ hello: "world" }) } },
  "lies-list": onList(answers({ tools: "many" })),
  "old-revision": {
    methods: {
      initialize: answers({
        protocolVersion: "1999-01-01",
        capabilities: {},
        serverInfo: { name: "old", version: "0" },
      }),
    },
  },
  "no-tools": { methods: { "tools/list": answers({ tools: [] }) } },
  "not-json-rpc": onCall(({ response }) => json(response, { hello: "world" })),
  "bad-json": onCall(({ response }) => json(response, '{"jsonrpc": "2.0", ')),
  "wrong-content-type": onCall(({ message, response }) =>
    json(response, result(message, FINE), { "Content-Type": "text/plain" }),
  ),
  "wrong-id": onCall(({ response }) => json(response, result({ id: 999 }, FINE))),
  "no-answer": onCall(status(202)),
  "stream-ends": onCall(({ response }) => {
    stream(response);
    response.end();
  }),
  "stream-garbage": onCall(({ response }) => {
    stream(response)("certainly not JSON-RPC");
    response.end();
  }),
  reset: onCall(({ response }) => void response.destroy()),
  "reset-midway": onCall(({ response }) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
    response.write('{"jsonrpc":', () => response.destroy());
  }),
  huge: onCall(({ message, response }) =>
    json(
      response,
      result(message, { content: [{ type: "text", text: "x".repeat(5 * MEBIBYTE) }] }),
    ),
  ),
  "huge-stream": onCall(hugeStream),
  bomb: onCall(bomb),
  deep: onCall(({ message, response }) => {
    const whole = JSON.stringify(result(message, { content: [], structuredContent: { x: 0 } }));
    json(response, whole.replace('"x":0', `"x":${nested}`));
  }),
  "error-result": onCall(
    answers({ isError: true, content: [{ type: "text", text: "The harbour is closed." }] }),
  ),
  "error-huge": onCall(
    answers({ isError: true, content: [{ type: "text", text: "closed ".repeat(20_000) }] }),
  ),
  "error-silent": onCall(answers({ isError: true, content: [] })),
  "echo-error": onCall(({ message, request, response }) => {
    const text = `You sent ${credentialOf(request)}`;
    json(response, result(message, { isError: true, content: [{ type: "text", text }] }));
  }),
  "echo-rpc": onCall(({ message, request, response }) =>
    json(response, error(message, -32602, `You sent ${credentialOf(request)}`)),
  ),
  "echo-result": onCall(({ message, request, response }) => {
    const text = `You sent ${credentialOf(request)}`;
    const structuredContent = { [text]: [text] };
    json(response, result(message, { content: [{ type: "text", text }], structuredContent }));
  }),
  "rpc-parameters": onCall(refuses(-32602, "Invalid params: name must be a string")),
  "rpc-parameters-400": onCall(({ message, response }) => {
    response.writeHead(400, { "Content-Type": "application/json" });
    response.end(JSON.stringify(error(message, -32602, "Invalid params: name is required")));
  }),
  "rpc-unknown-tool": onCall(refuses(-32602, "Unknown tool: greet")),
  "rpc-method": onCall(refuses(-32601, "Method not found")),
  "rpc-internal": onCall(refuses(-32603, "Internal error")),
  "redirect-private": { everything: status(307, { Location: "http://10.1.2.3/mcp" }) },
  "redirect-own": { everything: status(307, { Location: "/header-key" }) },
  "redirect-loop": { everything: status(307, { Location: "/redirect-loop" }) },
  asks: onCall(asks),
  "asks-for-ever": onCall(asksForEver),
  resumes: {
    ...onCall(({ message, response }) => {
      const say = stream(response);
      response.write(`retry: 10\nid: ${String(message.id)}\ndata:\n\n`);
      say({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } });
      response.end();
    }),
    resume: (response) => {
      const id = Number(response.req.headers["last-event-id"]);
      stream(response)(result({ id }, FINE));
      response.end();
    },
  },
  "resumes-never": {
    ...onCall(({ response }) => {
      stream(response);
      response.end("retry: 0\nid: 1\ndata:\n\n");
    }),
    resume: (response) => {
      stream(response);
      response.end("retry: 0\nid: 1\ndata:\n\n");
    },
  },
  "endless-cursor": onList(cursors),
  "huge-pages": onList(({ message, response }) => {
    const page = Number(message.params?.cursor ?? "0");
    const tools = [{ ...TOOL, name: `tool-${page}`, description: "x".repeat(MEBIBYTE) }];
    json(response, result(message, { tools, nextCursor: String(page + 1) }));
  }),
  "same-cursor": onList(answers({ tools: [TOOL], nextCursor: "again" })),
  "many-tools": onList(
    answers({ tools: Array.from({ length: 4_000 }, (_, at) => ({ ...TOOL, name: `tool-${at}` })) }),
  ),
  "odd-tools": onList(answers({ tools: ODD_TOOLS })),
};

const seen = new Map<string, string[]>();

function polite(exchange: Exchange): void {
  const { message, response } = exchange;
  const step = DEFAULT_STEPS[message.method ?? ""];
  if (step !== undefined) return step(exchange);
  response.writeHead(202);
  response.end();
}

function serve(name: string, exchange: Exchange): void {
  const { message, response } = exchange;
  const answered = message.method === undefined ? asked.get(message.id ?? "") : undefined;
  if (answered !== undefined) {
    answered(message);
    response.writeHead(202);
    return void response.end();
  }
  const manner = SERVERS[name] ?? {};
  const step = manner.everything ?? manner.methods?.[message.method ?? ""] ?? polite;
  step(exchange);
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "", "http://x");
  const [, name = "", of = ""] = url.pathname.split("/");
  if (name === "seen") return json(response, seen.get(of) ?? []);
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString();
    const message: Message = body === "" ? {} : JSON.parse(body);
    const sent = message.method ?? (body === "" ? request.method : "answer") ?? "";
    const visit = url.searchParams.get("visit") ?? "";
    seen.set(visit, [...(seen.get(visit) ?? []), sent]);
    if (request.method === "POST") return serve(name, { message, request, response });
    const resume = SERVERS[name]?.resume;
    if (request.method === "GET" && resume !== undefined) return resume(response);
    response.writeHead(request.method === "DELETE" ? 200 : 405);
    response.end();
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`ready http://127.0.0.1:${address?.port}`);
});
process.once("SIGTERM", () => process.exit(0));
