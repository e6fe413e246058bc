import type { Context } from "hono";
import type { Failure, RateWindow } from "../domain/failure.ts";
import type { Key } from "../domain/key.ts";

/** What middleware leaves for the handlers of a request. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    key: Key;
    /** Why the key may no longer be used, although it was valid when the request came; null if it may. */
    recheckKey?: () => Promise<Failure | null>;
    /** The key's request window, if the key has limits. */
    requestWindow?: RateWindow;
  };
}

export type AppContext = Context<AppEnv>;
