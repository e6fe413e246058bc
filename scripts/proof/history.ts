/** What a client knows about its request: it was applied, it was rejected, or the outcome is unknown. */
export type WriteResult = "acknowledged" | "rejected" | "unknown";

/** One request as its client saw it. Times are in milliseconds since 1970. */
export interface Exchange {
  readonly client: string;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  /** The unique text that the write leaves in a log; null for reads. */
  readonly mark: string | null;
  readonly taskId: string | null;
  readonly body: object | null;
  /** Whether the client aborted the request on purpose. */
  readonly isBrokenOff: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | null;
  readonly result: WriteResult;
  /** The error code, or why there was no response. */
  readonly reason: string | null;
}

/** An event that a client saw, so it must stay in the log. */
export interface Observation {
  readonly taskId: string;
  readonly seq: number;
  readonly type: string | null;
  readonly at: string | null;
  readonly seenFrom: number;
  readonly seenAt: number;
}

/** A task as shown in a list. */
export interface RowObservation {
  readonly taskId: string;
  readonly status: string;
  readonly attempt: number;
  readonly seenFrom: number;
  readonly seenAt: number;
}

/** A task that a worker received from a claim. Each claim uses a new worker name. */
export interface ClaimedTask {
  readonly taskId: string;
  readonly worker: string;
}

/** A file whose upload the service acknowledged. */
export interface Upload {
  readonly taskId: string;
  readonly name: string;
  readonly sha256: string;
}

/** All requests and observations of all clients. */
export class History {
  readonly exchanges: Exchange[] = [];
  readonly observations: Observation[] = [];
  readonly rows: RowObservation[] = [];
  /** Tasks that were missing from their creator's next list. */
  readonly unlisted: string[] = [];
  readonly claimedTasks: ClaimedTask[] = [];
  readonly uploads: Upload[] = [];
  /** The worker names of all claims. */
  readonly workers = new Set<string>();
  /** The tasks that each idempotency key created. */
  readonly keys = new Map<string, Set<string>>();
  /** The number of acknowledged writes, including repeats. */
  writes = 0;
  /** The number of tasks whose worker stopped reporting. */
  vanished = 0;
  #marks = 0;

  /** Returns a unique string for one write. */
  newMark(client: string): string {
    this.#marks += 1;
    return `~${client}-${this.#marks}~`;
  }

  ledTo(key: string, taskId: string): void {
    const led = this.keys.get(key) ?? new Set();
    this.keys.set(key, led.add(taskId));
  }

  /** The last 30 requests about a mark or a task, one line each. */
  about(name: string): string[] {
    return this.exchanges
      .filter(({ mark, taskId }) => mark === name || taskId === name)
      .slice(-30)
      .map(lineOf);
  }
}

/** The idempotency key of the request with this mark. */
export function keyOf(mark: string): string {
  return `key-${mark.replaceAll("~", "")}`;
}

/** All marks in a string. */
export function marksIn(text: string): string[] {
  return text.match(/~[a-z0-9]+-\d+~/g) ?? [];
}

function lineOf(exchange: Exchange): string {
  const { client, method, path, key, mark, startedAt, endedAt, status, result, reason } = exchange;
  const times = `${new Date(startedAt).toISOString()} +${endedAt - startedAt} ms`;
  const what = `${client} ${method} ${path} ${mark ?? ""} ${key === null ? "" : `key=${key}`}`;
  return `${times} ${what} -> ${result} ${status ?? ""} ${reason ?? ""}`.replaceAll(/ +/g, " ");
}
