import { replaceIds, type RequestSpec } from "./send-request.ts";
import type { Protocol } from "./endpoint.ts";

/** Two requests that must not be told apart by their answers. */
export interface RequestPair {
  readonly there: RequestSpec;
  readonly nowhere: RequestSpec;
  readonly ids: readonly [there: string, nowhere: string];
  /** It is answered, as a list that holds nothing is. */
  readonly isAnswered?: boolean;
  readonly isWorkAlike?: boolean;
}

/** Two requests that are made when they are wanted; of some only without a key. */
export interface RequestPairSource {
  readonly isKeyless?: true;
  readonly title: string;
  readonly protocol: Protocol;
  readonly prepare: () => Promise<RequestPair>;
}

/** The same request about two ids. */
export function sameRequestTwice(
  asked: RequestSpec,
  ids: RequestPair["ids"],
  isAnswered = false,
): RequestPair {
  return { there: asked, nowhere: replaceIds(asked, ids[0], ids[1]), ids, isAnswered };
}

export const reading = (path: string): RequestSpec => ({ method: "GET", path });
