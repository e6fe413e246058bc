import type { IncomingMessage, ServerResponse } from "node:http";

/** One JSON-RPC request to a misbehaving server. */
export interface Call {
  readonly method: string;
  readonly id: unknown;
  readonly params: Params;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The number of calls to this method during this visit, including this one. */
  readonly count: number;
  readonly origin: string;
}

interface Params {
  readonly id?: string;
  readonly message?: {
    readonly messageId?: string;
    readonly taskId?: string;
    readonly contextId?: string;
    readonly parts?: readonly object[];
    readonly referenceTaskIds?: readonly string[];
  };
}

export type Step = (call: Call) => void;

export const MEBIBYTE = 1024 * 1024;
export const TASK = "task-1";
const CONTEXT = "context-1";

export function json(response: ServerResponse, body: unknown, code = 200): void {
  response.writeHead(code, { "Content-Type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export function plain(code: number, headers: Record<string, string> = {}, body = ""): Step {
  return ({ response }) => {
    response.writeHead(code, headers);
    response.end(body);
  };
}

export function answers(result: object | ((call: Call) => object)): Step {
  return (call) => {
    const value = typeof result === "function" ? result(call) : result;
    json(call.response, { jsonrpc: "2.0", id: call.id, result: value });
  };
}

export function refuses(code: number, message: string, http = 200): Step {
  return ({ id, response }) =>
    json(response, { jsonrpc: "2.0", id, error: { code, message } }, http);
}

/** Opens an event stream and returns a function that writes results to it. */
export function opened({ id, response }: Call): (result: unknown) => void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  return (result) => {
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  };
}

/** Streams these results, then ends the stream. */
export function streams(...results: readonly unknown[]): Step {
  return (call) => {
    const write = opened(call);
    for (const result of results) write(result);
    call.response.end();
  };
}

export function words(text: string, messageId = "m-1"): object {
  return { messageId, role: "ROLE_AGENT", parts: [{ text }], taskId: TASK, contextId: CONTEXT };
}

/** Builds a status with the current time. */
export function status(state: string, text?: string): object {
  return {
    state: `TASK_STATE_${state}`,
    timestamp: new Date().toISOString(),
    ...(text === undefined ? {} : { message: words(text, crypto.randomUUID()) }),
  };
}

export function task(state: string, text?: string, more: object = {}): object {
  return { id: TASK, contextId: CONTEXT, status: status(state, text), ...more };
}

/** Builds results for a stream or for a response to a message. */
export const asTask = (...given: Parameters<typeof task>) => ({ task: task(...given) });
export const update = (state: string, text?: string, taskId = TASK) => ({
  statusUpdate: { taskId, contextId: CONTEXT, status: status(state, text) },
});
export const handed = (artifact: object, more: object = {}) => ({
  artifactUpdate: { taskId: TASK, contextId: CONTEXT, artifact, ...more },
});

export function file(name: string, ...parts: readonly object[]): object {
  return { artifactId: name, name, parts };
}
