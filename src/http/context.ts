import type { Context } from "hono";
import type { Key } from "../domain/key.ts";

/** What middleware leaves for the handlers of a request. */
export interface AppEnv {
  Bindings: Env;
  Variables: { requestId: string; key: Key };
}

export type AppContext = Context<AppEnv>;
