import * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type { Result } from "../../domain/result.ts";
import { sign } from "../../http/signature.ts";
import { openSettings, type SealEnv } from "../../webhooks/secret.ts";
import type { StoredWebhook } from "../../webhooks/store.ts";
import type { Door } from "./door.ts";
import type { Address } from "./ids.ts";
import type { CreateConfigParams } from "./wire.ts";

const SETTINGS = z.object({
  configId: z.string(),
  life: z.number(),
  origin: z.string(),
  keyId: z.string(),
  token: z.string().nullable(),
  authentication: z.object({ scheme: z.string(), credentials: z.string() }).nullable(),
});

/**
 * What the row of a webhook of the format "a2a" holds sealed: the configuration's id within its task,
 * the life of ours that it is for, where links begin, the key that it was made with, and what the
 * receiver knows us by.
 */
export type PushSettings = Readonly<z.infer<typeof SETTINGS>>;

/**
 * The settings of a configuration as it is asked for. Without an id it goes by what it says, so that the
 * same one, which comes again with each message of a client, is one; by a signature, as it holds secrets.
 */
export function settingsFor(
  { env, key, origin }: Pick<Door, "env" | "key" | "origin">,
  { life }: Address,
  { id, url, token, authentication }: Omit<CreateConfigParams, "taskId">,
): PushSettings {
  const known = {
    token: token ?? null,
    authentication:
      authentication === undefined
        ? null
        : { scheme: authentication.scheme, credentials: authentication.credentials ?? "" },
  };
  const configId =
    id === undefined || id === ""
      ? `push-${sign(env.SIGNING_KEY, "push-config", JSON.stringify([key.id, url, known]))}`
      : id;
  return { configId, life, origin, keyId: key.id, ...known };
}

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
