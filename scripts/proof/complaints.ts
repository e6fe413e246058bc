const CHARACTERS_MAX = 80;

/** What a service complains of in its log: each kind, and how often. */
export class Complaints {
  readonly counts = new Map<string, number>();

  readonly hear = (words: string): void => {
    const name = /event: '(\w+)'/.exec(words)?.[1] ?? plain(words);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  };
}

/** Of the runtime's own words those that do not differ from time to time. */
function plain(words: string): string {
  return (words.split(/[;:\n]/)[0] ?? "").slice(0, CHARACTERS_MAX);
}
