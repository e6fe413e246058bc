import { createServer, request as sendRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Recording } from "./recording.ts";

const TICK_MS = 50;
/** The tasks that run at the same time. */
const RUNNING = 40;
const TASKS_KEPT = 500;

const STATUS_AFTER: Readonly<Record<string, string>> = {
  created: "pending",
  assigned: "assigned",
  started: "in_progress",
  progressed: "in_progress",
  completed: "completed",
};

/** A task whose recorded events are being sent. */
interface ReplayedTask {
  readonly taskId: string;
  readonly createdAt: string;
  next: number;
  status: string;
  progress: number;
}

export interface ReplayServer {
  readonly origin: string;
  /** Sends events at this rate per second until the returned function is called. */
  readonly start: (rate: number) => () => void;
  /** The number of events that were sent to at least one page. */
  readonly sent: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Serves the console of the service at `upstream`. It answers two requests itself, in the API's format: the stream of
 * the event feed, to which it sends the recorded events again and again for new tasks, and the list of tasks, which
 * contains these tasks. It passes all other requests on.
 */
export async function startReplayServer(
  upstream: string,
  recording: Recording,
): Promise<ReplayServer> {
  const subscribers = new Set<ServerResponse>();
  const tasks: ReplayedTask[] = [];
  let sent = 0;
  let created = 0;

  function createTask(): ReplayedTask {
    created += 1;
    const taskId = created.toString(16).padStart(64, "0");
    const createdAt = new Date().toISOString();
    const task = { taskId, createdAt, next: 0, status: "pending", progress: 0 };
    tasks.unshift(task);
    tasks.length = Math.min(tasks.length, TASKS_KEPT);
    return task;
  }

  const running = Array.from({ length: RUNNING }, createTask);
  let turn = 0;

  /** The next event of the running tasks, in turn, as a message of the stream. */
  function nextMessage(): string {
    const place = turn % RUNNING;
    turn += 1;
    let task = running[place] ?? createTask();
    if (task.next === recording.events.length) task = createTask();
    running[place] = task;
    const event = recording.events[task.next];
    if (event === undefined) throw new Error("There are no recorded events");
    task.next += 1;
    task.status = STATUS_AFTER[event.type] ?? task.status;
    task.progress = event.type === "completed" ? 100 : (event.data.progress ?? task.progress);
    const at = new Date().toISOString();
    const data = JSON.stringify({ ...event, taskId: task.taskId, at });
    return `event: ${event.type}\ndata: ${data}\nid: ${turn}\n\n`;
  }

  function listTasks(query: URLSearchParams): object {
    const status = query.getAll("status");
    const matching = tasks.filter((task) => status.length === 0 || status.includes(task.status));
    const limit = Number(query.get("limit") ?? 50);
    const offset = Number(query.get("cursor") ?? 0);
    const page = matching.slice(offset, offset + limit);
    const isMore = offset + limit < matching.length;
    return {
      tasks: page.map(({ next: _, ...task }) => ({ ...recording.listed, ...task })),
      total: matching.length,
      totalExact: true,
      limit,
      offset,
      nextCursor: isMore ? String(offset + limit) : null,
    };
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", upstream);
    const isStream = request.headers.accept === "text/event-stream";
    if (isStream && url.pathname === "/agents/events") {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
      response.write("retry: 1000\n\n");
      subscribers.add(response);
      response.on("close", () => subscribers.delete(response));
      return;
    }
    if (request.method === "GET" && url.pathname === "/agents/tasks") {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ data: listTasks(url.searchParams) }));
      return;
    }
    const { method, headers } = request;
    const passed = sendRequest(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    origin: `http://127.0.0.1:${port}`,
    sent: () => sent,
    start(rate) {
      const startedAt = performance.now();
      let due = 0;
      const timer = setInterval(() => {
        const wanted = Math.floor(((performance.now() - startedAt) / 1_000) * rate);
        const messages: string[] = [];
        for (; due < wanted; due += 1) messages.push(nextMessage());
        if (subscribers.size > 0) sent += messages.length;
        const chunk = messages.join("");
        for (const subscriber of subscribers) subscriber.write(chunk);
      }, TICK_MS);
      return () => clearInterval(timer);
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
