/** What every model's maker takes as the name of a function. */
export const NAME_CHARACTERS_MAX = 64;
const NOT_ALLOWED = /[^a-zA-Z0-9_-]/g;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The text with `_` for what no name of a function may hold. */
export function tidied(text: string): string {
  return text.replaceAll(NOT_ALLOWED, "_");
}

/** The name with the suffix behind it, cut to fit. */
export function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, NAME_CHARACTERS_MAX - suffix.length - 1)}_${suffix}`;
}

/**
 * FNV-1a, 32 bits, as 8 hex digits: for telling names apart, not for secrets. Who may choose the texts can
 * make two agree, so whoever reads a name must count with two that have it.
 */
export function hashed(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
