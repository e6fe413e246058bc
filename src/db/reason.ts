/** Why a store failed, for the log: drizzle's own message tells the SQL with all its values, its cause does not. */
export function reasonOf(fault: unknown): unknown {
  return fault instanceof Error ? (fault.cause ?? fault.name) : fault;
}
