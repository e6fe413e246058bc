/** Keys of the data, and of the parser's and the builder's ordered form. */
export const TEXT_KEY = "#text";
export const ATTRIBUTES_KEY = ":@";
export const ATTRIBUTE_PREFIX = "@";

// The characters of an XML 1.0 NCName up to U+FFFF: many parsers, such as fast-xml-parser, reject the others.
const NAME_START_CHARACTERS =
  "A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}";
const NAME_CHARACTERS = `${NAME_START_CHARACTERS}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}`;

// Characters that a name cannot contain, underscores that look like the start of an escape, and spaces that the
// standard allows in names (U+1680, U+FEFF) but parsers do not.
const INVALID_NAME_PART = new RegExp(
  `_(?=x[0-9A-Fa-f]{4,6}_)|^[^${NAME_START_CHARACTERS}]|[^${NAME_CHARACTERS}]|\\s`,
  "gu",
);
const ESCAPE = /_x([0-9A-Fa-f]{4,6})_/g;
const PREFIXED_NAME = /^([^:]+):([^:]+)$/;

/**
 * The XML name for a key: characters that a name cannot contain become _xHHHH_ (the escape of ISO 9075-14). One
 * colon stays after a declared namespace prefix.
 */
export function toXmlName(key: string, prefixes: ReadonlySet<string>): string {
  const [, prefix, local] = PREFIXED_NAME.exec(key) ?? [];
  if (prefix !== undefined && local !== undefined && prefixes.has(prefix)) {
    return `${escapeNamePart(prefix)}:${escapeNamePart(local)}`;
  }
  return escapeNamePart(key);
}

/** The key of an XML name; names that look like an attribute or text stay escaped. */
export function fromXmlName(name: string): string {
  const key = name.replace(ESCAPE, (escape, digits: string) => {
    const point = Number.parseInt(digits, 16);
    const isCharacter = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    return isCharacter ? String.fromCodePoint(point) : escape;
  });
  return key.startsWith(ATTRIBUTE_PREFIX) || key === TEXT_KEY ? name : key;
}

function escapeNamePart(part: string): string {
  return part.replace(INVALID_NAME_PART, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `_x${point.toString(16).toUpperCase().padStart(4, "0")}_`;
  });
}
