import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";

/** Ends an object as a crash does: in the middle of whatever it is at. */
export async function crash(stub: DurableObjectStub): Promise<void> {
  const ended = runInDurableObject(stub, (_, state) => state.abort("crashed by a test"));
  await expect(ended).rejects.toThrow("crashed by a test");
}
