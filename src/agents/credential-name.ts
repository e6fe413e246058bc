import { isSecretName } from "../secrets/secret-name.ts";

/** Last words of credential names, in addition to the names that `isSecretName` matches. */
const CREDENTIAL_WORD =
  /(?:^|-)(?:key|sig|auth|jwt|pass|passwd|pwd|sas|cookie|session)$|(?:apikey|accesskey|secret|password|token|signature|authori[sz]ation|credentials?|bearer)$|^code$/;

/** Whether a header or query parameter with this name probably contains a credential. */
export function isCredentialName(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").replaceAll(/[_.]/g, "-");
  return isSecretName(name) || CREDENTIAL_WORD.test(words.toLowerCase());
}
