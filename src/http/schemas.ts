import * as z from "zod";
import { NAME_CHARACTERS_MAX } from "../kernel/limits.ts";
import { SECRET_CHARACTERS_MAX } from "./limits.ts";
import { customIssue } from "./validation.ts";
import { IDENTIFIER_PATTERN, IDENTIFIER_RULE, RESERVED_AGENT_IDS } from "../kernel/identifier.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";

/** A free-form JSON object. The body's walk has checked its depth, numbers and text already. */
export const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value as Json | undefined), {
  error: "must be an object",
});

/** A name for people. The length is checked as sent; then surrounding spaces are removed. */
export const displayName = z
  .string()
  .max(NAME_CHARACTERS_MAX)
  .trim()
  .min(1)
  .meta({ pattern: "\\S" });

/** An id that people choose. */
export const identifier = z
  .string()
  .regex(IDENTIFIER_PATTERN, { error: IDENTIFIER_RULE, abort: true });

/** The id of a new agent: not a reserved word of the paths below /agents. */
export const agentIdentifier = identifier.refine((id) => !RESERVED_AGENT_IDS.includes(id), {
  error: `must not be one of the reserved words ${RESERVED_AGENT_IDS.join(", ")}`,
});

/** Printable ASCII without spaces at either end, which every header and form accepts. */
export const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
export const PRINTABLE_ASCII_RULE =
  "must be printable ASCII without line breaks, tabs, or spaces at either end, as headers are";
/** RFC 9110, 5.6.2. */
export const HEADER_NAME_PATTERN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that make up the request itself; a secret in one of them would break it. */
const FRAMING_HEADER =
  /^(?:host|content-.*|transfer-encoding|connection|upgrade|te|trailer|expect)$/i;

export function isHeaderName(text: string): boolean {
  return HEADER_NAME_PATTERN.test(text);
}

export function isFramingHeader(header: string): boolean {
  return FRAMING_HEADER.test(header);
}

/** Text that no message quotes, because it may be a secret. */
export function redactedString(
  charactersMax: number,
  rule: string,
  good: RegExp | ((text: string) => boolean),
) {
  const isGood = good instanceof RegExp ? (text: string) => good.test(text) : good;
  const pattern = good instanceof RegExp ? { pattern: good.source } : {};
  return z
    .custom<string>()
    .meta({ type: "string", minLength: 1, maxLength: charactersMax, ...pattern })
    .check((ctx) => {
      const given: unknown = ctx.value;
      const message = checkRedactedString(given, charactersMax, (text) =>
        isGood(text) ? null : rule,
      );
      if (message !== null) ctx.issues.push(customIssue(message, given));
    });
}

/** The problem of a text that must not be shown, or null. `judge` checks a text of valid length. */
export function checkRedactedString(
  given: unknown,
  charactersMax: number,
  judge: (text: string) => string | null,
): string | null {
  if (given === undefined) return "is required: a string";
  if (typeof given !== "string") return "must be a string";
  if (given === "") return "must not be empty";
  const { length } = Array.from(given);
  if (length <= charactersMax) return judge(given);
  return `must be at most ${charactersMax} characters long, got ${length} characters`;
}

/** A secret as it is sent to another system. */
export const secretText = redactedString(
  SECRET_CHARACTERS_MAX,
  PRINTABLE_ASCII_RULE,
  PRINTABLE_ASCII,
);

/** The name of the header, or the parameter, that carries a secret. */
export const credentialFieldName = redactedString(
  NAME_CHARACTERS_MAX,
  "must be a name of letters, digits and - _ . that does not frame the request itself, as Host and Content-Type do",
  (text) => HEADER_NAME_PATTERN.test(text) && !isFramingHeader(text),
);
