import type * as real from "../../../src/keys/keys.store.ts";

/** The simulator's workers claim with the root key, which never expires, so D1 is not queried. */
export const selectEndedKeys: typeof real.selectEndedKeys = () => Promise.resolve([]);
