import type { Context } from "hono";
import type { RateWindow } from "../domain/failure.ts";
import type { Key } from "../domain/key.ts";

/** What middleware leaves for the handlers of a request. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    key: Key;
    /** The minute of the key's requests, where the key has a limit. */
    requestWindow?: RateWindow;
  };
}

export type AppContext = Context<AppEnv>;
