/** `token`, alone or after one of these words. `page_token` and `next_token` are not credentials. */
const TOKEN =
  "(?:(?:access|api|auth|bearer|client|deploy|id|job|personal|private|refresh|security|service|session|user|vault)[-_.]?)?token";
/** `key` after one of these words. `sort-key` and `partition-key` are not credentials. */
const KEY =
  "(?:access|account|api|app|application|auth|client|functions|license|master|private|secret|shared|signing|subscription)[-_.]?key";
const SECRET_NAME = new RegExp(
  [
    "^(?:proxy-)?authorization$",
    "^cookie$",
    "^(?:x[-_])?auth(?:entication)?$",
    // Only as whole names, because many other names end with these words.
    "^(?:key|sig|code)$",
    `(?:^|[-_.])(?:${KEY}|secret|password|passwd|signature)$`,
    `^(?:x[-_])?${TOKEN}$`,
    "^x[-_](?:[a-z0-9]+[-_])+token$",
  ].join("|"),
  "i",
);

/** Whether a header or query parameter with this name probably contains a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
