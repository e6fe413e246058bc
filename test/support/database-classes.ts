import { env } from "cloudflare:workers";

/** The class of D1 databases, whose method `batch` runs a transaction. */
export const DATABASE_CLASS: object = Reflect.getPrototypeOf(env.DB) ?? {};

/** The class of prepared statements, whose method `run` writes a single row. */
export const STATEMENT_CLASS: object = Reflect.getPrototypeOf(env.DB.prepare("SELECT 1")) ?? {};
