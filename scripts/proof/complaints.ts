const CHARACTERS_MAX = 80;

/** The kinds of log entries of a service and their numbers. */
export class Complaints {
  readonly counts = new Map<string, number>();

  readonly record = (words: string): void => {
    const name = /event: '(\w+)'/.exec(words)?.[1] ?? plain(words);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  };
}

/** The constant part of the runtime's messages. */
function plain(words: string): string {
  return (words.split(/[;:\n]/)[0] ?? "").slice(0, CHARACTERS_MAX);
}
