const CHARACTERS_MAX = 80;

/** The kinds of log entries of a service and their numbers. */
export class LogCounts {
  readonly counts = new Map<string, number>();

  readonly record = (message: string): void => {
    const name = /event: '(\w+)'/.exec(message)?.[1] ?? constantPart(message);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  };
}

/** The constant part of the runtime's messages. */
function constantPart(message: string): string {
  return (message.split(/[;:\n]/)[0] ?? "").slice(0, CHARACTERS_MAX);
}
