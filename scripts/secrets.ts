import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;
const RUN_SECRETS = "BOSUN_RUN_SECRETS";

/** The secrets that the Worker requires. */
export interface Secrets {
  readonly ROOT_API_KEY: string;
  readonly SIGNING_KEY: string;
  readonly CREDENTIALS_KEY: string;
}

/**
 * Random secrets for one installation. `keyId` is the id of the encryption key. The other two secrets contain `mark`.
 */
export function randomSecrets(keyId: string, mark = ""): Secrets {
  return {
    ROOT_API_KEY: `bsn_root_${mark}${randomBytes(SECRET_BYTES).toString("hex")}`,
    SIGNING_KEY: `${mark}${randomBytes(SECRET_BYTES).toString("hex")}`,
    CREDENTIALS_KEY: `${keyId}:${randomBytes(SECRET_BYTES).toString("base64")}`,
  };
}

/**
 * The secrets of one test run. All its processes share them, because child processes inherit the environment. Tests
 * search for the mark in output that must not contain secrets.
 */
export function runSecrets(): Secrets {
  process.env[RUN_SECRETS] ??= JSON.stringify(randomSecrets("test-1", "for-tests-only-"));
  return JSON.parse(process.env[RUN_SECRETS]);
}
