import type { Context } from "hono";
import type { RateWindow } from "../domain/failure.ts";
import type { Key } from "../domain/key.ts";

/** What middleware leaves for the handlers of a request. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    key: Key;
    /** The key's request window, if the key has limits. */
    requestWindow?: RateWindow;
  };
}

export type AppContext = Context<AppEnv>;
