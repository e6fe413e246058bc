import { fail, ok, type Result } from "../../kernel/result.ts";
import { signHmac, verifyHmac } from "../../platform/crypto/hash.ts";
import { APPROVAL_LINK_MAX_MS } from "../limits.ts";
import type { Approval } from "../model/approval.ts";

const SIGNATURE_PURPOSE = "approval";
const EXPIRES = /^[1-9]\d{0,15}$/;

/** Why a link is rejected. */
export const LINK_PROBLEMS = {
  invalid: "This link is not valid. Ask for a new one.",
  expired: "This link has expired. Ask for a new one.",
} as const;

/** A link with which a person decides about a call on behalf of the key `keyId`. `secret` is SIGNING_KEY. */
export function createApprovalLink(
  secret: string,
  origin: string,
  { id, expiresAt }: Pick<Approval, "id" | "expiresAt">,
  keyId: string,
  now: number,
): { url: string; expiresAt: number } {
  const until = Math.min(expiresAt, now + APPROVAL_LINK_MAX_MS);
  const expires = String(until);
  const signature = signHmac(secret, SIGNATURE_PURPOSE, signedTextOf(id, keyId, expires));
  const query = new URLSearchParams({ key: keyId, expires, signature }).toString();
  return { url: `${origin}/agents/approvals/${id}/decision?${query}`, expiresAt: until };
}

/** The id of the key that created the link, if this service signed it and it has not expired. */
export function readApprovalLink(
  secret: string,
  id: string,
  query: URLSearchParams,
  now: number,
): Result<string, keyof typeof LINK_PROBLEMS> {
  const [keyId = "", expires = "", signature = ""] = ["key", "expires", "signature"].map((name) => {
    const values = query.getAll(name);
    return values.length === 1 ? (values[0] ?? "") : "";
  });
  const text = signedTextOf(id, keyId, expires);
  const isSigned = verifyHmac(secret, SIGNATURE_PURPOSE, text, signature);
  if (keyId === "" || !EXPIRES.test(expires) || !isSigned) return fail("invalid");
  return Number(expires) > now ? ok(keyId) : fail("expired");
}

function signedTextOf(id: string, keyId: string, expires: string): string {
  return [id, keyId, expires].join("\n");
}
