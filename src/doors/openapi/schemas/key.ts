import * as z from "zod";
import { SCOPES } from "../../../domain/key.ts";
import { instant } from "./instant.ts";

const id = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .meta({ description: "The key's id." });

const shown = {
  id,
  name: z.string().meta({ description: "What it is for, for people to read." }),
  scopes: z.array(z.enum(SCOPES)).meta({ description: "What it may do." }),
  agentId: z
    .string()
    .meta({ description: "The agent it is bound to: it sees only what is this agent's." })
    .optional(),
  teamId: z
    .string()
    .meta({ description: "The team it is bound to: it sees only what is this team's." })
    .optional(),
  createdAt: instant("When it was made."),
  expiresAt: instant("When it ends by itself; absent when it does not.").optional(),
  requireTask: z
    .literal(true)
    .meta({ description: "Calls of tools with it must be made under a task; absent otherwise." })
    .optional(),
};

const apiKey = z
  .strictObject(shown)
  .meta({ id: "Key", description: "An API key, without its secret." });

/** POST /agents/keys. */
export const createdKey = z
  .strictObject({
    ...shown,
    key: z
      .string()
      .regex(/^bsn_[0-9a-f]{16}_[0-9a-f]{64}$/)
      .meta({
        description:
          "The key itself, to be sent as `Authorization: Bearer <key>`. Shown this once: only its SHA-256 is stored.",
      }),
  })
  .meta({ id: "CreatedKey", description: "An API key with its secret, which is shown once." });

/** GET /agents/keys. */
export const keyList = z
  .strictObject({
    keys: z
      .array(apiKey)
      .meta({ description: "The page, newest first; revoked keys are left out." }),
  })
  .meta({ id: "KeyList", description: "One page of the keys." });

/** DELETE /agents/keys/:id. */
export const revokedKey = z
  .strictObject({
    id,
    revoked: z.literal(true).meta({ description: "It opens nothing any longer." }),
  })
  .meta({ id: "RevokedKey" });
