import * as z from "zod";
import { NAME_CHARACTERS_MAX, SECRET_CHARACTERS_MAX } from "../domain/limits.ts";
import { worded } from "../http/validate.ts";

/** Printable ASCII without spaces at either end: what every header and form can carry. */
export const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
export const PRINTABLE_RULE =
  "must be printable ASCII without line breaks, tabs, or spaces at either end, as headers are";
/** RFC 9110, 5.6.2. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that make up the request itself; a secret in one of them would break it. */
const FRAMING = /^(?:host|content-.*|transfer-encoding|connection|upgrade|te|trailer|expect)$/i;

export function isHeaderName(text: string): boolean {
  return HEADER_NAME.test(text);
}

export function isFraming(header: string): boolean {
  return FRAMING.test(header);
}

/** Text of which no message shows a part, as it may be a secret, or stand where one was meant. */
export function discreet(
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
      const message = problemOf(given, charactersMax, (text) => (isGood(text) ? null : rule));
      if (message !== null) ctx.issues.push(worded(message, given));
    });
}

/** What is wrong with a text that must not be shown, or null; `judge` sees it once it is one. */
export function problemOf(
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
export const secretText = discreet(SECRET_CHARACTERS_MAX, PRINTABLE_RULE, PRINTABLE);

/** The name of the header, or the parameter, that carries a secret. */
export const secretName = discreet(
  NAME_CHARACTERS_MAX,
  "must be a name of letters, digits and - _ . that does not frame the request itself, as Host and Content-Type do",
  (text) => HEADER_NAME.test(text) && !isFraming(text),
);
