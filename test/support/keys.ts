import type { Scope } from "../../src/keys/model/key.ts";
import { post } from "./client.ts";

/** The scopes available to a key bound to an agent or a team: all except the management scopes. */
export const UNMANAGING: readonly Scope[] = [
  "tools:read",
  "tools:invoke",
  "tasks:read",
  "tasks:write",
  "tasks:work",
];

/** Issues a key with these scopes and returns it. A binding and an expiry time are optional. */
export async function keyWith(
  scopes: readonly Scope[],
  binding: { agentId?: string; teamId?: string; expiresAt?: string } = {},
): Promise<string> {
  const answer = await post("/agents/keys", { name: "test", scopes: [...scopes], ...binding });
  if (answer.status !== 201) throw new Error(`The key was not issued: ${answer.text}`);
  return answer.body.data.key;
}

/** Extracts the id that identifies a key in key management. */
export function keyId(key: string): string {
  return key.split("_")[1] ?? "";
}
