import { currentRequestId } from "./request-id.ts";

/** The fields of a log line. `error` states what went wrong. */
type LogFields = Readonly<Record<string, unknown>>;

/**
 * Writes structured log lines: the event in snake_case, subject first (`directory_write_failed`); the id of the request
 * that caused it, if any; and its fields.
 */
export const log = {
  warn(event: string, fields: LogFields = {}): void {
    console.warn(createLine(event, fields));
  },
  error(event: string, fields: LogFields = {}): void {
    console.error(createLine(event, fields));
  },
};

function createLine(event: string, fields: LogFields): LogFields {
  const requestId = currentRequestId();
  return { event, ...(requestId === null ? {} : { requestId }), ...fields };
}
