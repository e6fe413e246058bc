/** What a client knows of its request: the service said yes, said no, or nobody knows. */
export type Ending = "acknowledged" | "refused" | "unknown";

/** One request as its client saw it. Instants in milliseconds since 1970. */
export interface Exchange {
  readonly client: string;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  /** What the write leaves in a log, by which it is found again; null for what writes nothing. */
  readonly mark: string | null;
  readonly taskId: string | null;
  readonly body: object | null;
  /** Its client gave it up on purpose. */
  readonly isBrokenOff: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | null;
  readonly ending: Ending;
  /** The code of a refusal, or why there was no answer. */
  readonly reason: string | null;
}

/** An event that a client was shown before the end: from then on it must be there for ever. */
export interface Sighting {
  readonly taskId: string;
  readonly seq: number;
  readonly type: string | null;
  readonly at: string | null;
  readonly seenFrom: number;
  readonly seenAt: number;
}

/** A task as a list showed it. */
export interface RowSighting {
  readonly taskId: string;
  readonly status: string;
  readonly attempt: number;
  readonly seenFrom: number;
  readonly seenAt: number;
}

/** A task that a claim gave to a worker, who goes by a name of its own in each claim. */
export interface Handout {
  readonly taskId: string;
  readonly worker: string;
}

/** A file that the service says it has. */
export interface Upload {
  readonly taskId: string;
  readonly name: string;
  readonly sha256: string;
}

/** Everything that all clients did and saw. */
export class History {
  readonly exchanges: Exchange[] = [];
  readonly sightings: Sighting[] = [];
  readonly rows: RowSighting[] = [];
  /** Tasks that the next list of whoever created them did not show. */
  readonly unlisted: string[] = [];
  readonly handouts: Handout[] = [];
  readonly uploads: Upload[] = [];
  /** Names under which claims were made. */
  readonly workers = new Set<string>();
  /** Which tasks an idempotency key led to. */
  readonly keys = new Map<string, Set<string>>();
  /** Requests that wrote something and were acknowledged, repeats included. */
  writes = 0;
  /** Tasks of which a worker has said nothing more. */
  vanished = 0;
  #marks = 0;

  /** Words that no other write leaves behind. */
  newMark(client: string): string {
    this.#marks += 1;
    return `~${client}-${this.#marks}~`;
  }

  ledTo(key: string, taskId: string): void {
    const led = this.keys.get(key) ?? new Set();
    this.keys.set(key, led.add(taskId));
  }

  /** What happened around a mark or a task, a line each. */
  about(name: string): string[] {
    return this.exchanges
      .filter(({ mark, taskId }) => mark === name || taskId === name)
      .slice(-30)
      .map(lineOf);
  }
}

/** The idempotency key of whoever leaves this mark. */
export function keyOf(mark: string): string {
  return `key-${mark.replaceAll("~", "")}`;
}

/** All marks in a text. */
export function marksIn(text: string): string[] {
  return text.match(/~[a-z0-9]+-\d+~/g) ?? [];
}

function lineOf(exchange: Exchange): string {
  const { client, method, path, key, mark, startedAt, endedAt, status, ending, reason } = exchange;
  const times = `${new Date(startedAt).toISOString()} +${endedAt - startedAt} ms`;
  const what = `${client} ${method} ${path} ${mark ?? ""} ${key === null ? "" : `key=${key}`}`;
  return `${times} ${what} -> ${ending} ${status ?? ""} ${reason ?? ""}`.replaceAll(/ +/g, " ");
}
