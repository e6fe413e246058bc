import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

/** Made once for each binding, as drizzle is not made for free. */
const databases = new WeakMap<D1Database, Database>();

/** The one place where D1 meets drizzle. */
export function database(binding: D1Database): Database {
  const known = databases.get(binding);
  if (known !== undefined) return known;
  const made = drizzle(binding);
  databases.set(binding, made);
  return made;
}
