import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";

/** Crashes a Durable Object. */
export async function crash(stub: DurableObjectStub): Promise<void> {
  const ended = runInDurableObject(stub, (_, state) => state.abort("crashed by a test"));
  await expect(ended).rejects.toThrow("crashed by a test");
}
