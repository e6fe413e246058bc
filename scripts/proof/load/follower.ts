import { EventSource } from "eventsource";
import { ROOT_KEY, type Bosun } from "../bosun.ts";
import type { KnownTasks } from "../known-tasks.ts";
import type { Rng } from "../rng.ts";
import { rest } from "../pace.ts";
import type { EventShape } from "../responses.ts";

const POLL_MS = 100;

/** The events that a task's follower has received, starting with the first. */
export interface FollowedStream {
  readonly taskId: string;
  readonly events: readonly EventShape[];
  /** Whether the service has closed the stream as complete. */
  readonly isComplete: boolean;
}

/** Follows one task after another to its end. Stops early if `leaving` aborts. */
export async function followOn(
  bosun: Pick<Bosun, "origin">,
  rng: Rng,
  knownTasks: KnownTasks,
  leaving: AbortSignal,
): Promise<FollowedStream[]> {
  const streams: FollowedStream[] = [];
  while (!leaving.aborted && !knownTasks.isOver) {
    const taskId = knownTasks.ids.at(-rng.integer(1, 5)) ?? null;
    if (taskId === null) await rest(POLL_MS, leaving);
    else streams.push(await follow(bosun, taskId, leaving));
  }
  return streams;
}

async function follow(
  { origin }: Pick<Bosun, "origin">,
  taskId: string,
  leaving: AbortSignal,
): Promise<FollowedStream> {
  const events: EventShape[] = [];
  const state = { isComplete: false };
  const open = (): EventSource => {
    const after = events.at(-1)?.seq ?? 0;
    const source = new EventSource(`${origin}/agents/tasks/${taskId}/events?after=${after}`, {
      fetch: async (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set("Authorization", `Bearer ${ROOT_KEY}`);
        const response = await fetch(url, { ...init, headers });
        state.isComplete ||= response.status === 204;
        return response;
      },
    });
    source.addEventListener("message", ({ data }) => events.push(eventIn(data)));
    return source;
  };
  let source = open();
  while (!state.isComplete && (await rest(POLL_MS, leaving))) {
    // EventSource gives up after a response other than 200, so open another one.
    if (source.readyState === source.CLOSED && !state.isComplete) source = open();
  }
  source.close();
  return { taskId, events, ...state };
}

/** A message in a task's stream contains one event from its log. */
function eventIn(data: string): EventShape {
  return JSON.parse(data) as EventShape;
}
