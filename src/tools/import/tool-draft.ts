import { DESCRIPTION_CHARACTERS_MAX } from "../../kernel/limits.ts";
import { preview } from "../../kernel/result.ts";
import type { Capability } from "../model/capability.ts";
import type { Connector, CapabilityOperation } from "../model/connector.ts";
import type { ToolAuthentication } from "../model/tool.ts";

export interface DraftCapability extends Capability {
  readonly operation: CapabilityOperation;
}

/** A tool as read from an API document or an MCP server, before registration. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  /** A URL, or empty. */
  readonly documentation: string;
  readonly authentication: ToolAuthentication;
  readonly connector: Connector;
  readonly capabilities: readonly DraftCapability[];
  /** What was omitted or interpreted differently, and why. Each note is one sentence. */
  readonly notes: readonly string[];
}

/** Reports the progress of a long import: `done` out of `total` operations or MCP tools. */
export type OnImportProgress = (done: number, total: number) => Promise<void>;

const REASONS_MAX = 100;
const NAMES_SHOWN_MAX = 5;

export type ImportNotes = ReturnType<typeof createImportNotes>;

/** Collects an import's notes, grouped by reason. */
export function createImportNotes() {
  const reasons = new Map<string, { count: number; names: string[] }>();
  let unsaid = 0;
  return {
    /**
     * `reason` is the beginning of a sentence, such as `Omitted because …`. `name` is an item to which the reason
     * applies.
     */
    add(reason: string, name: string): void {
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
    /** One sentence per reason, with the first names. */
    sentences(): string[] {
      const sentences = [...reasons].map(([reason, { count, names }]) => {
        const more = count > names.length ? ` and ${count - names.length} more` : "";
        return `${reason}: ${names.join(", ")}${more}.`;
      });
      return unsaid === 0 ? sentences : [...sentences, `There are ${unsaid} more notes.`];
    },
  };
}

/** Picks unused names: `name`, `name-2`, … Continues from the last number, so many equal names take linear time. */
export function createNamePicker(
  isTaken: (name: string) => boolean,
  charactersMax = Infinity,
): (wanted: string, first?: string) => string {
  const numbers = new Map<string, number>();
  return (wanted, first = wanted) => {
    let name = first;
    for (let number = numbers.get(wanted) ?? 2; isTaken(name); number += 1) {
      const suffix = `-${number}`;
      name = `${wanted.slice(0, charactersMax - suffix.length)}${suffix}`;
      numbers.set(wanted, number + 1);
    }
    return name;
  };
}

const NAMES_OFFERED_MAX = 10;

/** Formats a source's names for a message: `"a", "b" and 7 more`. */
export function listOfferedNames(names: readonly string[]): string {
  const some = names.slice(0, NAMES_OFFERED_MAX).map((name) => preview(name));
  const more = names.length > some.length ? ` and ${names.length - some.length} more` : "";
  return some.length === 0 ? "none" : `${some.join(", ")}${more}`;
}

/** Trims a text and, if it is too long, truncates it with an ellipsis. Does not split a surrogate pair. */
export function trimToLength(text: string, charactersMax: number): string {
  // Cut before trimming, because a document can contain megabytes of whitespace in a text that it refers to repeatedly.
  const beginning = text.slice(0, 2 * charactersMax).trim();
  if (beginning.length <= charactersMax) return beginning;
  return `${beginning.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

export function formatDescription(text: string, isDeprecated: boolean): string {
  const mark = isDeprecated ? "Deprecated. " : "";
  return `${mark}${trimToLength(text, DESCRIPTION_CHARACTERS_MAX - mark.length)}`.trim();
}

/** Whether JSON text contains U+0000 or a lone surrogate, which some stores and systems reject. */
export function hasUnsupportedText(json: string): boolean {
  return /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
