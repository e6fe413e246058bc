import { toHex } from "../../kernel/bytes.ts";

const ENCODER = new TextEncoder();

/** SHA-256 in hex, of bytes or of a text as UTF-8. */
export async function sha256Hex(content: BufferSource | string): Promise<string> {
  const bytes = typeof content === "string" ? ENCODER.encode(content) : content;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
