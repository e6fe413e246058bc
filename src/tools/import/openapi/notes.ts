/** What an import leaves out, gathered by reason. */
export interface Notes {
  /** `reason` begins a sentence: `Left out, as …`; `name` is what it is about. */
  add(reason: string, name: string): void;
  /** One sentence for each reason, with the first names. */
  sentences(): string[];
}

const REASONS_MAX = 100;
const NAMES_SHOWN_MAX = 5;

export function gatherNotes(): Notes {
  const reasons = new Map<string, { count: number; names: string[] }>();
  let unsaid = 0;
  return {
    add(reason, name) {
      const known = reasons.get(reason);
      if (known !== undefined) {
        known.count += 1;
        if (known.names.length < NAMES_SHOWN_MAX) known.names.push(name);
      } else if (reasons.size < REASONS_MAX) {
        reasons.set(reason, { count: 1, names: [name] });
      } else {
        unsaid += 1;
      }
    },
    sentences() {
      const sentences = [...reasons].map(([reason, { count, names }]) => {
        const more = count > names.length ? ` and ${count - names.length} more` : "";
        return `${reason}: ${names.join(", ")}${more}.`;
      });
      return unsaid === 0 ? sentences : [...sentences, `There are ${unsaid} more notes.`];
    },
  };
}
