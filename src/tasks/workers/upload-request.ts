import { decodeBase64 } from "../../kernel/bytes.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { checkFileName } from "../model/files.ts";
import {
  LEASE_TOKEN_CHARACTERS_MAX,
  MEDIA_TYPE_CHARACTERS_MAX,
  UPLOAD_BYTES_MAX,
} from "../limits.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import { findUnknownCharset } from "../../kernel/media-type.ts";
import { readQuery, validateSchema } from "../../http/validation.ts";
import { uploadQuery } from "./schemas.ts";

/** A file as its request describes it, before the body is read. `size` is in bytes; null if not specified. */
export interface UploadRequest {
  readonly token: string;
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly size: number | null;
  /** The SHA-256 that the client specified, in hex; null if it specified none. */
  readonly sha256: string | null;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
);
const EXTENSION = /\.([A-Za-z0-9]{1,16})$/;
/** One member of a dictionary of byte sequences (RFC 8941), as in `sha-256=:base64:`. */
const DIGEST = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*$/;
const SHA_256_BYTES = 32;

/** Reads the name, query and headers of an upload, or returns the problems with them. */
export function readUploadRequest(request: Request, name: string): Result<UploadRequest, Failure> {
  const { headers } = request;
  const failure = checkBodyHeaders(headers);
  if (failure !== null) return fail(failure);
  const problems: Problem[] = [];
  const problem = checkFileName(name);
  if (problem !== null) problems.push({ path: "name", message: problem });
  const given = readQuery(request.url, Object.keys(uploadQuery.shape));
  const query = validateSchema(uploadQuery, given.values);
  problems.push(...given.problems, ...(query.ok ? [] : query.failure));
  const token = headers.get("Bosun-Lease") ?? "";
  if (token === "" || token.length > LEASE_TOKEN_CHARACTERS_MAX) {
    const message = "must be the lease token from the claim response";
    problems.push({ path: "Bosun-Lease", message });
  }
  const length = headers.get("Content-Length");
  const size = length === null ? null : Number(length);
  const sha256 = readDigest(headers.get("Content-Digest"));
  if (sha256 === undefined) {
    const message = `must contain the file's SHA-256 in base64, as in sha-256=:…=:, got ${preview(headers.get("Content-Digest"))}`;
    problems.push({ path: "Content-Digest", message });
  }
  if (!query.ok || sha256 === undefined || problems.length > 0) {
    return fail({ kind: "validation", problems });
  }
  const format = headers.get("Content-Type") ?? "application/octet-stream";
  const { type = EXTENSION.exec(name)?.[1]?.toLowerCase() ?? "file" } = query.value;
  return ok({ token, name, type, format, size, sha256 });
}

/** Why the headers alone require the upload to be rejected, regardless of other problems; null if they do not. */
function checkBodyHeaders(headers: Headers): Failure | null {
  if (headers.has("Content-Encoding")) {
    const reason = "Content-Encoding is not supported. Send the file unencoded.";
    return { kind: "unsupported_media_type", reason };
  }
  const format = headers.get("Content-Type");
  if (format !== null && !isMediaType(format)) {
    const reason = `Content-Type must be the file's media type, such as text/csv, got ${preview(format)}.`;
    return { kind: "unsupported_media_type", reason };
  }
  const charset = findUnknownCharset(format ?? "");
  if (charset !== null) {
    const reason = `Content-Type contains the unknown charset ${preview(charset)}. Use the file's charset, such as utf-8, or omit it.`;
    return { kind: "unsupported_media_type", reason };
  }
  const length = headers.get("Content-Length");
  // A body without Content-Length is measured while it is read.
  if (length === null) return null;
  if (!/^\d{1,16}$/.test(length)) {
    return createFieldFailure(
      "Content-Length",
      `must be the file's size in bytes, got ${preview(length)}`,
    );
  }
  if (Number(length) <= UPLOAD_BYTES_MAX) return null;
  return { kind: "payload_too_large", bytesMax: UPLOAD_BYTES_MAX };
}

function isMediaType(text: string): boolean {
  return text.length <= MEDIA_TYPE_CHARACTERS_MAX && MEDIA_TYPE.test(text);
}

/**
 * The SHA-256 in a `Content-Digest` header (RFC 9530), in hex; null if there is no header, undefined if it is invalid.
 */
function readDigest(header: string | null): string | null | undefined {
  if (header === null) return null;
  const members = header.split(",").map((member) => DIGEST.exec(member));
  const encoded = members.find((member) => member?.[1] === "sha-256")?.[2];
  if (encoded === undefined || members.includes(null)) return undefined;
  const bytes = decodeBase64(encoded);
  return bytes?.byteLength === SHA_256_BYTES ? Buffer.from(bytes).toString("hex") : undefined;
}
