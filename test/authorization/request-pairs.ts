import { replaceIds, type RequestSpec } from "./send-request.ts";
import type { Protocol } from "./endpoint.ts";

/** Two requests whose responses must be indistinguishable. */
export interface RequestPair {
  readonly there: RequestSpec;
  readonly missing: RequestSpec;
  readonly ids: readonly [there: string, missing: string];
  /** Whether both requests succeed, for example with an empty list. */
  readonly isAnswered?: boolean;
  readonly isSameWork?: boolean;
}

/** Creates a pair of requests on demand. A keyless pair is only sent without a key. */
export interface RequestPairSource {
  readonly isKeyless?: true;
  readonly title: string;
  readonly protocol: Protocol;
  readonly prepare: () => Promise<RequestPair>;
}

/** A pair of requests that differ only in the id. */
export function sameRequestTwice(
  asked: RequestSpec,
  ids: RequestPair["ids"],
  isAnswered = false,
): RequestPair {
  return { there: asked, missing: replaceIds(asked, ids[0], ids[1]), ids, isAnswered };
}

export const reading = (path: string): RequestSpec => ({ method: "GET", path });
