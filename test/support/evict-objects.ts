import { evictAllDurableObjects } from "cloudflare:test";
import worker from "../../src/index.ts";

/** How often objects were thrown out. */
export interface Evictions {
  readonly count: number;
  readonly end: () => void;
}

/**
 * Throws every object out of memory after each request, once its answer has been read to its end, until
 * `end` is called: what comes next finds only what was stored.
 */
export function evictAfterEachRequest(): Evictions {
  const { fetch: whole } = worker;
  let count = 0;
  worker.fetch = async (...given) => {
    const answer = await whole(...given);
    // A stream of events ends when its client goes, and not before.
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
