import { KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The maximum size of a request body. A task's context is stored in one SQLite row, which is limited to 2 MB. */
export const BODY_BYTES_MAX = KIB * KIB;

/** The maximum number of bytes of an oversized body that are read before the response is sent. */
export const BODY_DRAINED_BYTES_MAX = 8 * BODY_BYTES_MAX;

export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;

/** How long a client waits before it reconnects to a stream that has ended. */
export const STREAM_RETRY_MS = SECOND_MS;

/** How long a signed download link is valid. */
export const DOWNLOAD_LINK_MS = 60 * MINUTE_MS;

/**
 * The maximum length of a secret for another system. The longest common ones, JWTs and cookies, are up to 4 KiB long.
 */
export const SECRET_CHARACTERS_MAX = 8 * KIB;

export const CURSOR_CHARACTERS_MAX = 2_048;
