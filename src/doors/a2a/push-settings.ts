import * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type { Result } from "../../domain/result.ts";
import { openSettings, type SealEnv } from "../../webhooks/secret.ts";
import type { StoredWebhook } from "../../webhooks/store.ts";

const SETTINGS = z.object({
  configId: z.string(),
  life: z.number(),
  origin: z.string(),
  token: z.string().nullable(),
  authentication: z.object({ scheme: z.string(), credentials: z.string() }).nullable(),
});

/**
 * What the row of a webhook of the format "a2a" holds sealed: the configuration's id within its task,
 * the life of ours that it is for, where links begin, and what the receiver knows us by.
 */
export type PushSettings = Readonly<z.infer<typeof SETTINGS>>;

/** What was sealed by `openPush`; null for anything else. */
export function pushSettings(settings: Json): PushSettings | null {
  const read = SETTINGS.safeParse(settings);
  return read.success ? read.data : null;
}

/** The settings in a row, null where they cannot be opened any more. */
export async function settingsOf(
  env: SealEnv,
  { id, sealed }: StoredWebhook,
): Promise<PushSettings | null> {
  const opened: Result<Json, string> = await openSettings(env, id, sealed);
  return opened.ok ? pushSettings(opened.value) : null;
}
