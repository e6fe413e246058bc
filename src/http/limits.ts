import { KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** The largest request body. A task's context is stored in one SQLite row, which is limited to 2 MB. */
export const BODY_BYTES_MAX = KIB * KIB;

/** How much of a body that is too large is read and discarded before the response. */
export const BODY_DRAINED_BYTES_MAX = 8 * BODY_BYTES_MAX;

export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;

/** The delay after which a client reconnects when its stream has ended. */
export const STREAM_RETRY_MS = SECOND_MS;

/** How long a signed download link works. */
export const DOWNLOAD_LINK_MS = 60 * MINUTE_MS;

/** A secret of a tool. The longest in use are JWTs and cookies of up to 4 KiB; this allows twice as much. */
export const SECRET_CHARACTERS_MAX = 8 * KIB;

export const CURSOR_CHARACTERS_MAX = 512;
