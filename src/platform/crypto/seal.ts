import { decodeBase64 } from "../../kernel/bytes.ts";
import type { Failure } from "../../kernel/failure.ts";
import type { Json } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { log } from "../log.ts";

const KEY_BYTES = 32;
const KEY_PATTERN = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]+=*)$/;
const ENCRYPTION = { alg: "dir", enc: "A256GCM" } as const;
const ENCODER = new TextEncoder();

/** The keys in CREDENTIALS_KEY by id. The first one seals, and any of them can unseal. */
export interface SealKeys {
  readonly currentId: string;
  readonly byId: ReadonlyMap<string, Uint8Array>;
}

export interface UnsealedValue {
  readonly value: Json;
  readonly keyId: string;
}

/** Parses one or more keys of the form `<key id>:<32 bytes in base64>`, separated by commas. */
export function parseSealKeys(secret: string): Result<SealKeys, Failure> {
  const byId = new Map<string, Uint8Array>();
  for (const [index, part] of secret.split(",").entries()) {
    const [, id = "", encoded = ""] = KEY_PATTERN.exec(part.trim()) ?? [];
    const bytes = decodeBase64(encoded);
    if (bytes?.byteLength !== KEY_BYTES || byId.has(id)) return failMalformedKeys(index + 1);
    byId.set(id, bytes);
  }
  const [currentId = ""] = byId.keys();
  return ok({ currentId, byId });
}

/**
 * Seals a value as a JWE (RFC 7516, direct AES-256-GCM), which can be unsealed only for the `use` in its authenticated
 * header.
 */
export async function seal(keys: SealKeys, use: string, value: object): Promise<string> {
  const { CompactEncrypt } = await import("jose/jwe/compact/encrypt");
  const key = keys.byId.get(keys.currentId) ?? new Uint8Array();
  return new CompactEncrypt(ENCODER.encode(JSON.stringify(value)))
    .setProtectedHeader({ ...ENCRYPTION, kid: keys.currentId, use })
    .encrypt(key);
}

/** Unseals a value that was sealed for this use; null for another use, an unknown key or invalid input. */
export async function unseal(
  keys: SealKeys,
  use: string,
  sealed: string,
): Promise<UnsealedValue | null> {
  const { compactDecrypt } = await import("jose/jwe/compact/decrypt");
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(
      sealed,
      ({ kid }) => findSealKey(keys, kid),
      {
        keyManagementAlgorithms: [ENCRYPTION.alg],
        contentEncryptionAlgorithms: [ENCRYPTION.enc],
      },
    );
    if (protectedHeader["use"] !== use) return null;
    return {
      value: JSON.parse(new TextDecoder().decode(plaintext)),
      keyId: protectedHeader.kid ?? "",
    };
  } catch {
    return null;
  }
}

/** The environment with the sealing keys. */
export type SealEnv = Pick<Env, "CREDENTIALS_KEY">;

export async function sealWithCurrentKey(
  env: SealEnv,
  use: string,
  value: object,
): Promise<Result<string, Failure>> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  return keys.ok ? ok(await seal(keys.value, use, value)) : keys;
}

/** Unseals a value that was sealed for this use; null if no key in the environment opens it. */
export async function unsealWithKnownKey(
  env: SealEnv,
  use: string,
  sealed: string,
): Promise<UnsealedValue | null> {
  const keys = parseSealKeys(env.CREDENTIALS_KEY);
  return keys.ok ? unseal(keys.value, use, sealed) : null;
}

/** Throws for an unknown key. jose passes the error on, so `unseal` returns null. */
function findSealKey(keys: SealKeys, id: string | undefined): Uint8Array {
  const key = keys.byId.get(id ?? "");
  if (key === undefined) throw new Error("The value is sealed with an unknown key");
  return key;
}

function failMalformedKeys(place: number): Result<never, Failure> {
  log.error("credentials_key_invalid", {
    place,
    rule: `CREDENTIALS_KEY must contain keys of the form <key id>:<${KEY_BYTES} bytes in base64>, separated by commas and with unique ids`,
  });
  return fail({ kind: "unavailable", what: "The credential store" });
}
