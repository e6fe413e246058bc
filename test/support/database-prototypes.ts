import { env } from "cloudflare:workers";

/** The prototype of D1 databases. Its `batch` method runs a transaction. */
export const DATABASE_PROTOTYPE: object = Reflect.getPrototypeOf(env.DB) ?? {};

/** The prototype of prepared statements. Its `run` method executes one statement. */
export const STATEMENT_PROTOTYPE: object = Reflect.getPrototypeOf(env.DB.prepare("SELECT 1")) ?? {};
