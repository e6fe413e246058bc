const CHARSET = /\s*;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i;

/** The charset that a media type names, if it is none of the Encoding Standard; null otherwise. */
export function unknownCharset(mediaType: string): string | null {
  const [whole, quoted, plain = ""] = CHARSET.exec(mediaType) ?? [];
  if (whole === undefined) return null;
  const charset = quoted ?? plain;
  return isEncoding(charset) ? null : charset;
}

/** A media type without a charset that no client can decode; servers fail on such a header. */
export function servedType(mediaType: string): string {
  return unknownCharset(mediaType) === null ? mediaType : mediaType.replace(CHARSET, "");
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}
