/** Units in bytes and milliseconds. */
export const KIB = 1024;

export const SECOND_MS = 1000;

export const MINUTE_MS = 60 * SECOND_MS;

export const DAY_MS = 24 * 60 * MINUTE_MS;
