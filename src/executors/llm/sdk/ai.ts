/** Replaces the package "ai", of which workers-ai-provider uses only this function. */
export function generateId(): string {
  return crypto.randomUUID();
}
