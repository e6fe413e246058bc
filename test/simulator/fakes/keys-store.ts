import type * as real from "../../../src/keys/keys.store.ts";

/**
 * Never queries D1, because the simulator's workers claim tasks with the root key, which never
 * expires.
 */
export const selectEndedKeys: typeof real.selectEndedKeys = () => Promise.resolve([]);
