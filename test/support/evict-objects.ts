import { evictAllDurableObjects } from "cloudflare:test";
import worker from "../../src/index.ts";

export interface Evictions {
  /** How many times all objects have been evicted. */
  readonly count: number;
  readonly end: () => void;
}

/**
 * Evicts every object from memory after each response that has a body and is not an event stream,
 * until `end` is called. The next request therefore sees only stored state.
 */
export function evictAfterEachRequest(): Evictions {
  const { fetch: whole } = worker;
  let count = 0;
  worker.fetch = async (...given) => {
    const answer = await whole(...given);
    // An event stream ends only when its client disconnects, so do not wait for its end.
    const isStream = answer.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
    if (isStream || answer.body === null) return answer;
    const bytes = await answer.arrayBuffer();
    await evictAllDurableObjects();
    count += 1;
    return new Response(bytes, answer);
  };
  return {
    get count() {
      return count;
    },
    end() {
      worker.fetch = whole;
    },
  };
}
