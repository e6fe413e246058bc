import * as z from "zod";
import { KEY_LIMITS, type KeyLimitName } from "./model/key-limits.ts";
import { isManageScope, SCOPES } from "./model/key.ts";
import { NAME_CHARACTERS_MAX } from "../kernel/limits.ts";
import { identifier } from "../http/validation.ts";

export const KEY_EXPIRY_RULE = "must be in the future";

const expiryText = z.iso.datetime({
  offset: true,
  error: "must be an ISO 8601 date-time with a zone",
  abort: true,
});

/** Body of POST /agents/keys. */
export const createKeyBody = keyBody(expiryText.refine(isInFuture, { error: KEY_EXPIRY_RULE }));
export type CreateKeyBody = z.output<typeof createKeyBody>;

/** The same with an Idempotency-Key: a repeat gets its response even if the key has expired since. */
export const idempotentKeyBody = keyBody(expiryText);

/** Query of DELETE /agents/keys/:id. */
export const revokeKeyQuery = z.object({
  cascade: z
    .enum(["true", "false"])
    .default("false")
    .transform((given) => given === "true"),
});

/** Body of PATCH /agents/keys/:id. */
export const changeKeyBody = z.strictObject({
  limits: limitsBody((limit) => limit.nullable())
    .refine((limits) => Object.keys(limits).length > 0, { error: "must change something" })
    .meta({ minProperties: 1 }),
});

export function isInFuture(expiresAt: string): boolean {
  return Date.parse(expiresAt) > Date.now();
}

/** An object of optional limits. */
function limitsBody<Limit extends z.ZodType>(form: (limit: z.ZodInt) => Limit) {
  const limit = (name: KeyLimitName) =>
    form(z.int().min(KEY_LIMITS[name].min).max(KEY_LIMITS[name].max)).optional();
  return z.strictObject({
    requestsPerMinute: limit("requestsPerMinute"),
    openStreams: limit("openStreams"),
    pushConfigurations: limit("pushConfigurations"),
    liveTasks: limit("liveTasks"),
    storedBytes: limit("storedBytes"),
  });
}

function keyBody(expiry: z.ZodType<string>) {
  return z
    .strictObject({
      name: z.string().min(1).max(NAME_CHARACTERS_MAX),
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
      agentId: identifier.optional(),
      teamId: identifier.optional(),
      expiresAt: expiry.optional(),
      requireTask: z.boolean().default(false),
      limits: limitsBody((limit) => limit).optional(),
    })
    .refine((body) => body.agentId === undefined || body.teamId === undefined, {
      path: ["teamId"],
      error: "must be left out when agentId is given: a key is bound to one or the other",
    })
    .refine(
      (body) =>
        (body.agentId === undefined && body.teamId === undefined) ||
        !body.scopes.some(isManageScope),
      {
        path: ["scopes"],
        error: "must hold no manage scope: a key bound to an agent or a team manages nothing",
      },
    );
}
