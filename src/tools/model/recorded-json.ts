import type { Json } from "../../kernel/json.ts";

/** A JSON value as a call record stores it: without secrets, and cut off if it is long. */
export interface RecordedJson {
  /** The value as JSON, or the beginning of that text. */
  readonly text: string;
  /** The size of the original value as JSON in UTF-8, in bytes. */
  readonly bytes: number;
  /**
   * The SHA-256 of the original value as JSON, in hex; absent if `text` contains the whole value or a masked secret,
   * which the digest could confirm.
   */
  readonly sha256?: string;
  /** Whether `text` is only the beginning of the value; absent in older records, which then have a `sha256`. */
  readonly isCut?: true;
  /** Whether `text` was cut off for a list. The stored text is longer. */
  readonly isShortened?: true;
}

/** A value without secrets as JSON. If the text would exceed the limit, it is cut off and incomplete. */
export interface RedactedJson {
  readonly text: string;
  readonly isComplete: boolean;
  /** Whether a secret was replaced. Only the beginning of an incomplete value is examined. */
  readonly isMasked: boolean;
}

const MASK = "***";

/** Strings are cut off this many characters after the limit, so that a secret at the limit is still recognised. */
const LOOKAHEAD_CHARACTERS = 4_096;

/** Names of fields, headers and parameters whose values are secret, such as `apiKey` and `X-Auth-Token`. */
const SECRET_NAME =
  /(?:passwords?|passwd|passphrases?|secrets?|token|(?:api|access|private|secret|signing|encryption)[-_ ]?keys?|authorization|cookies?|credentials?|session[-_ ]?id|bearer|jwt)$|^(?:pwd|pin|otp|cvv|cvc|auth)$/i;
/** Names whose values are often secret, such as `DB_PASS`, but can also be numbers or prose, such as `pass`. */
const AMBIGUOUS_NAME =
  /(?:^|[-_ ])(?:pass|sig|signature)$|[-_ ](?:pwd|pin|otp|auth)$|(?:access|api|auth|bearer|refresh|session)[-_ ]?tokens$/i;
/** The same in camel case, such as `dbPass`. */
const AMBIGUOUS_CAMEL_CASE_NAME = /[a-z\d](?:Pass|Pwd|Pin|Otp|Auth|Sig|Signature)$/;
/** A value of a field with such a name that is probably a secret: a word that is not a number. */
const SECRET_WORD = /^(?!\d+$)\S+$/;
/** Longer names are not examined. */
const NAME_CHARACTERS_MAX = 200;

/** A name at whose end a secret follows in text, as the source of a pattern. */
const NAMED_SECRET = String.raw`[\w-]{0,40}?(?:password|passwd|secret|token|api[-_]?key|access[-_]?key|signature|sig)`;
const NAMED_PASS = String.raw`[\w-]{0,40}?(?<![a-z])(?:pass|pwd)`;

/** Secrets that are recognisable by their form, and their replacements. Each pattern takes linear time. */
const SECRET_FORMS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A private key in PEM format.
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    MASK,
  ],
  // The value of an Authorization header.
  [/\b(Bearer\s{1,5})[\w.~+/-]{8,}=*/gi, `$1${MASK}`],
  [/\b([Bb]asic\s{1,5})(?=[A-Za-z]*(?:[\d+/=]|(?<=[a-z])[A-Z]))[\w+/-]{8,}=*/g, `$1${MASK}`],
  // A JSON Web Token.
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, MASK],
  // Keys with a well-known prefix, such as this service's own, and those of OpenAI, Stripe, GitHub and AWS.
  [
    /\b(?:[spr]k[-_](?:live|test|proj|ant|or|svcacct)[-_]|sk-|bsn_|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|whsec_|npm_|hf_|ya29\.|AKIA|ASIA|AIza)[\w+/=-]{12,}/g,
    MASK,
  ],
  // The user name and password in a URL.
  [/\b([a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@]{1,200}@/gi, `$1${MASK}@`],
  // A secret in text such as `password: "a b c"`, in a query string, or in text such as `password: abc`.
  [
    new RegExp(
      String.raw`\b(${NAMED_SECRET}|${NAMED_PASS})(["']?\s{0,5}[=:]\s{0,5}")[^"]{4,}`,
      "gi",
    ),
    `$1$2${MASK}`,
  ],
  [
    new RegExp(
      String.raw`\b(${NAMED_SECRET}|${NAMED_PASS})(["']?\s{0,5}[=:]\s{0,5}')[^']{4,}`,
      "gi",
    ),
    `$1$2${MASK}`,
  ],
  [
    new RegExp(
      String.raw`\b(${NAMED_SECRET}["']?\s{0,5}[=:]\s{0,5}|${NAMED_PASS}=)[^\s"',;&#]{4,}`,
      "gi",
    ),
    `$1${MASK}`,
  ],
];

/** Masks the parts of a text that look like secrets. */
export function redactText(text: string): string {
  return SECRET_FORMS.reduce(
    (masked, [pattern, replacement]) => masked.replace(pattern, replacement),
    text,
  );
}

/** Whether the value of a field with this name is secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether a string in a field with this name is probably secret. A number or a text with spaces is not. */
function isAmbiguousName(name: string): boolean {
  return AMBIGUOUS_NAME.test(name) || AMBIGUOUS_CAMEL_CASE_NAME.test(name);
}

/** Whether an object such as `{"name": "X-Api-Key", "value": "…"}` contains a secret value. */
function isSecretPair({ name, key }: { readonly [field: string]: Json }): boolean {
  return [name, key].some(
    (one) => typeof one === "string" && !/\s/.test(one) && isSecretField(one, "x"),
  );
}

/** Whether the value of a field is secret, including all values in it. */
function isSecretField(name: string, value: Json): boolean {
  if (name.length > NAME_CHARACTERS_MAX) return false;
  if (isSecretName(name)) return true;
  return typeof value === "number" || typeof value === "boolean" || value === null
    ? false
    : isAmbiguousName(name) && (typeof value !== "string" || SECRET_WORD.test(value));
}

/**
 * Writes a value as JSON of at most `bytesMax` bytes in UTF-8. Values of fields with secret names, and parts of strings
 * that look like secrets, are replaced by `***`. The work is proportional to the limit, not to the value.
 */
export function redactJson(value: Json, bytesMax: number): RedactedJson {
  const parts: string[] = [];
  let bytesLeft = bytesMax;
  let isMasked = false;

  /** Appends text as far as it fits. Returns whether all of it did. */
  function put(text: string): boolean {
    const fitting = truncateUtf8(text, bytesLeft);
    parts.push(fitting);
    bytesLeft -= utf8SizeOf(fitting);
    return fitting.length === text.length;
  }

  function putString(text: string): boolean {
    const isWhole = text.length <= bytesLeft + LOOKAHEAD_CHARACTERS;
    const start = isWhole ? text : text.slice(0, bytesLeft + LOOKAHEAD_CHARACTERS);
    const redacted = redactText(start);
    isMasked ||= redacted !== start;
    return put(JSON.stringify(redacted)) && isWhole;
  }

  function putItems<Item>(
    [open, close]: readonly [string, string],
    items: Iterable<Item>,
    putItem: (item: Item) => boolean,
  ): boolean {
    if (!put(open)) return false;
    let isFirst = true;
    for (const item of items) {
      if (!(isFirst || put(",")) || !putItem(item)) return false;
      isFirst = false;
    }
    return put(close);
  }

  function putValue(one: Json, isSecret: boolean): boolean {
    if (one === null || typeof one === "boolean") return put(String(one));
    if (Array.isArray(one)) return putItems(["[", "]"], one, (item) => putValue(item, isSecret));
    if (typeof one === "object") {
      const isPair = isSecretPair(one);
      return putItems(["{", "}"], Object.entries(one), ([name, field]) => {
        const isHidden =
          isSecretField(name, field) || (isPair && name === "value" && typeof field !== "number");
        return putString(name) && put(":") && putValue(field, isSecret || isHidden);
      });
    }
    if (isSecret) {
      isMasked = true;
      return put(JSON.stringify(MASK));
    }
    return typeof one === "string" ? putString(one) : put(JSON.stringify(one));
  }

  const isComplete = putValue(value, false);
  return { text: parts.join(""), isComplete, isMasked };
}

/** Cuts off a recorded value at `bytesMax` bytes for a list. */
export function shortenRecordedJson(recorded: RecordedJson, bytesMax: number): RecordedJson {
  const text = truncateUtf8(recorded.text, bytesMax);
  return text.length === recorded.text.length ? recorded : { ...recorded, text, isShortened: true };
}

const NON_ASCII = /[\u0080-\uffff]/;
const ENCODER = new TextEncoder();

function utf8SizeOf(text: string): number {
  return NON_ASCII.test(text) ? ENCODER.encode(text).byteLength : text.length;
}

/** The longest beginning of a well-formed text that has at most `bytesMax` bytes in UTF-8, in whole characters. */
export function truncateUtf8(text: string, bytesMax: number): string {
  // A UTF-16 code unit has between one and three bytes.
  if (3 * text.length <= bytesMax) return text;
  const start = text.slice(0, bytesMax);
  if (!NON_ASCII.test(text.slice(0, bytesMax + 1))) return start;
  const { read } = ENCODER.encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}
