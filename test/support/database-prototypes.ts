import { env } from "cloudflare:workers";

/** The prototype of D1 databases; `batch` runs a transaction. */
export const DATABASE_PROTOTYPE: object = Reflect.getPrototypeOf(env.DB) ?? {};

/** The prototype of prepared statements; `run` executes one statement. */
export const STATEMENT_PROTOTYPE: object = Reflect.getPrototypeOf(env.DB.prepare("SELECT 1")) ?? {};
