/** The value of a `datetime-local` input for a time, in the browser's time zone; empty if there is none. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return "";
  const date = new Date(at);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The time that a `datetime-local` input states. */
export function fromLocalInput(value: string): string {
  return new Date(value).toISOString();
}
