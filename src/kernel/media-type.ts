const CHARSET = /\s*;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i;

/** The charset of a media type if the Encoding Standard does not define it; null otherwise. */
export function findUnknownCharset(mediaType: string): string | null {
  const [whole, quoted, plain = ""] = CHARSET.exec(mediaType) ?? [];
  if (whole === undefined) return null;
  const charset = quoted ?? plain;
  return isEncoding(charset) ? null : charset;
}

/** A media type without an unknown charset, which no client can decode and which makes servers fail. */
export function removeUnknownCharset(mediaType: string): string {
  return findUnknownCharset(mediaType) === null ? mediaType : mediaType.replace(CHARSET, "");
}

/** Names UTF-8 in a text media type that has no parameters, because some readers assume another charset. */
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
