import { swapped, type Asked } from "./ask.ts";
import type { Door } from "./endpoint.ts";

/** Two requests that must not be told apart by their answers. */
export interface Pair {
  readonly there: Asked;
  readonly nowhere: Asked;
  readonly ids: readonly [there: string, nowhere: string];
  /** It is answered, as a list that holds nothing is. */
  readonly isAnswered?: boolean;
  readonly isWorkAlike?: boolean;
}

/** Two requests that are made when they are wanted; of some only without a key. */
export interface PairOf {
  readonly isKeyless?: true;
  readonly title: string;
  readonly door: Door;
  readonly prepare: () => Promise<Pair>;
}

/** The same request about two ids. */
export function both(asked: Asked, ids: Pair["ids"], isAnswered = false): Pair {
  return { there: asked, nowhere: swapped(asked, ids[0], ids[1]), ids, isAnswered };
}

export const reading = (path: string): Asked => ({ method: "GET", path });
