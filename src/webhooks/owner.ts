import type { Database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { ROOT_KEY_ID } from "../domain/key.ts";
import { WEBHOOKS_A_KEY_MAX, WEBHOOKS_MAX } from "../domain/limits.ts";
import { webhooksBy } from "./store.ts";

/** How many webhooks a key may own. The root key belongs to the operator and has only the total limit. */
export function webhooksMaxOf(keyId: string): number {
  return keyId === ROOT_KEY_ID ? WEBHOOKS_MAX : WEBHOOKS_A_KEY_MAX;
}

/** The failure if a key has reached its own limit of webhooks; null otherwise. */
export async function ownLimitFailure(db: Database, keyId: string): Promise<Failure | null> {
  const countAKeyMax = webhooksMaxOf(keyId);
  if (countAKeyMax >= WEBHOOKS_MAX) return null;
  const isFull = (await webhooksBy(db, keyId)) >= countAKeyMax;
  return isFull ? { kind: "too_many_webhooks", countAKeyMax } : null;
}
