import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

/** The one place where D1 meets drizzle. */
export function database(binding: D1Database): Database {
  return drizzle(binding);
}
