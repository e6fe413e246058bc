import { signHmac, verifyHmac } from "../platform/crypto/hash.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { SIGN_IN_LINK_MS } from "./limits.ts";

const SIGNATURE_PURPOSE = "sign-in";
export const SIGN_IN_LINK_PATH = "/console/sign-in-link";
/** Why a link is rejected, and what to do. */
export const SIGN_IN_LINK_PROBLEMS = {
  invalid: "This sign-in link is not valid. Copy it again from the output of npm run dev.",
  expired: "This sign-in link has expired. Restart npm run dev to get a new one.",
} as const;
const EXPIRES = /^[1-9]\d{0,15}$/;

/**
 * The path and query of a link that signs in with the root key of a local service. `expires` is in milliseconds since
 * 1970. `secret` is SIGNING_KEY.
 */
export function createSignInLink(secret: string, now: number): string {
  const expires = String(now + SIGN_IN_LINK_MS);
  const signature = signHmac(secret, SIGNATURE_PURPOSE, expires);
  return `${SIGN_IN_LINK_PATH}?${new URLSearchParams({ expires, signature }).toString()}`;
}

/** Whether this service signed the link and it has not expired. */
export function checkSignInLink(
  secret: string,
  query: URLSearchParams,
  now: number,
): Result<null, keyof typeof SIGN_IN_LINK_PROBLEMS> {
  const [expires = "", ...furtherExpires] = query.getAll("expires");
  const [signature = "", ...furtherSignatures] = query.getAll("signature");
  const isSingle = furtherExpires.length + furtherSignatures.length === 0;
  const isSigned = verifyHmac(secret, SIGNATURE_PURPOSE, expires, signature);
  if (!isSingle || !EXPIRES.test(expires) || !isSigned) return fail("invalid");
  return Number(expires) > now ? ok(null) : fail("expired");
}
