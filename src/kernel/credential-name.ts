/**
 * Matches `token`, alone or after one of these words. Names such as `page-token` and `next-token` are not credentials.
 */
const TOKEN =
  "(?:(?:access|api|auth|bearer|client|deploy|id|job|personal|private|refresh|security|service|session|user|vault)-?)?token";
/** Matches `key` after one of these words. Names such as `sort-key` and `partition-key` are not credentials. */
const KEY =
  "(?:access|account|api|app|application|auth|client|functions|license|master|private|secret|shared|signing|subscription)-?key";
/** A name that ends in one of these words is the name of a credential. */
const WORD =
  "authori[sz]ation|bearer|cookie|credentials?|jwt(?:-assertion)?|passphrase|pass-?w(?:or)?d|pwd|sas|secret|session-?id|signature";
const CREDENTIAL_NAME = new RegExp(
  [
    `(?:^|-)(?:${KEY}|${WORD})$`,
    `^(?:x-)?(?:auth|authentication|pass|session|${TOKEN})$`,
    "^x-(?:[a-z0-9]+-)+token$",
    // Match these only as whole names, because other names often end in them.
    "^(?:key|sig|code)$",
  ].join("|"),
);

/** Name endings that often, but not always, indicate a credential. */
const LAST_WORD =
  /(?:^|-)(?:auth|key|pass|session|sig)$|(?:apikey|accesskey|authori[sz]ation|bearer|credentials?|password|secret|signature|token)$/;

/**
 * Whether a header or query parameter with this name probably contains a credential. Words may be separated by `-`,
 * `_`, `.` or camel case: `X-Api-Key`, `x_api_key`, `xApiKey`.
 */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(toKebabCase(name));
}

/** Like `isCredentialName`, but matches more names. Use it where a false match does little harm. */
export function mayBeCredentialName(name: string): boolean {
  return isCredentialName(name) || LAST_WORD.test(toKebabCase(name));
}

function toKebabCase(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").replaceAll(/[_.]/g, "-");
  return words.toLowerCase();
}
