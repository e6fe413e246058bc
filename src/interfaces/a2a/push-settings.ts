import type { StoredWebhook } from "../../events/model/webhook.ts";
import * as z from "zod";
import type { Json } from "../../kernel/json.ts";
import type { Result } from "../../kernel/result.ts";
import { signHmac } from "../../platform/crypto/hmac.ts";
import { openWebhookSettings } from "../../events/webhooks/settings.ts";
import type { SealEnv } from "../../platform/crypto/seal.ts";
import type { A2aCallContext } from "./call-context.ts";
import type { A2aTaskRef } from "./task-run.ts";
import type { CreatePushConfigParams } from "./schemas.ts";

const pushSettingsSchema = z.object({
  configId: z.string(),
  life: z.number(),
  origin: z.string(),
  keyId: z.string(),
  token: z.string().nullable(),
  authentication: z.object({ scheme: z.string(), credentials: z.string() }).nullable(),
});

/**
 * The sealed settings of a webhook of the format "a2a": the configuration's id within its task, its run (`life`), the
 * origin of links, the key that created it, and the secrets that authenticate us to the receiver.
 */
export type PushSettings = Readonly<z.infer<typeof pushSettingsSchema>>;

/**
 * The settings of a requested configuration. Without an id, a signature of its content is the id, so that a
 * configuration that a client repeats with each message is stored once.
 */
export function buildPushSettings(
  { env, key, origin }: Pick<A2aCallContext, "env" | "key" | "origin">,
  { run }: A2aTaskRef,
  { id, url, token, authentication }: Omit<CreatePushConfigParams, "taskId">,
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
      ? `push-${signHmac(env.SIGNING_KEY, "push-config", JSON.stringify([key.id, url, known]))}`
      : id;
  return { configId, life: run, origin, keyId: key.id, ...known };
}

/** The settings that `savePushConfig` sealed; null for anything else. */
export function parsePushSettings(settings: Json): PushSettings | null {
  const read = pushSettingsSchema.safeParse(settings);
  return read.success ? read.data : null;
}

/** The settings in a row; null if they cannot be opened any more. */
export async function unsealPushSettings(
  env: SealEnv,
  { id, sealed }: StoredWebhook,
): Promise<PushSettings | null> {
  const opened: Result<Json, string> = await openWebhookSettings(env, id, sealed);
  return opened.ok ? parsePushSettings(opened.value) : null;
}
