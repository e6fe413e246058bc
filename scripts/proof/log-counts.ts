const CHARACTERS_MAX = 80;

/** Counts a service's log entries by kind. */
export class LogCounts {
  readonly counts = new Map<string, number>();

  readonly record = (message: string): void => {
    const name = /event: '(\w+)'/.exec(message)?.[1] ?? constantPart(message);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  };
}

/** The constant part of a message from the runtime. */
function constantPart(message: string): string {
  return (message.split(/[;:\n]/)[0] ?? "").slice(0, CHARACTERS_MAX);
}
