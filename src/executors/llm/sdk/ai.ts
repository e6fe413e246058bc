/** All that the provider of Workers AI wants of the package "ai", in whose place this stands. */
export function generateId(): string {
  return crypto.randomUUID();
}
