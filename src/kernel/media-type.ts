const CHARSET = /\s*;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i;

/** A media type's charset if the Encoding Standard does not define it; otherwise null. */
export function findUnknownCharset(mediaType: string): string | null {
  const [whole, quoted, plain = ""] = CHARSET.exec(mediaType) ?? [];
  if (whole === undefined) return null;
  const charset = quoted ?? plain;
  return isEncoding(charset) ? null : charset;
}

/** Removes an unknown charset, which clients cannot decode and which can make servers fail. */
export function removeUnknownCharset(mediaType: string): string {
  return findUnknownCharset(mediaType) === null ? mediaType : mediaType.replace(CHARSET, "");
}

/** Adds the UTF-8 charset to a text media type without parameters, because some clients assume another charset. */
export function addUtf8Charset(mediaType: string): string {
  const isBareText = /^text\//i.test(mediaType) && !mediaType.includes(";");
  return isBareText ? `${mediaType}; charset=utf-8` : mediaType;
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}
