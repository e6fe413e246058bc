import { DESCRIPTION_CHARACTERS_MAX } from "../../kernel/limits.ts";
import type { Capability } from "../model/capability.ts";
import type { Connector, CapabilityOperation } from "../model/connector.ts";
import type { ToolAuthentication } from "../model/tool.ts";

/** One capability with what carries it out. */
export interface DraftCapability extends Capability {
  readonly operation: CapabilityOperation;
}

/** A tool as a description of an API or an MCP server suggests it, before anybody has registered it. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  /** A URL, or an empty text. */
  readonly documentation: string;
  readonly authentication: ToolAuthentication;
  readonly connector: Connector;
  readonly capabilities: readonly DraftCapability[];
  /** What was left out, and why: one sentence each. */
  readonly notes: readonly string[];
}

/** Tells how far a long import is: `done` of `total` operations. */
export type OnImportProgress = (done: number, total: number) => Promise<void>;

/** What an import leaves out, gathered by reason. */
export interface ImportNotes {
  /** `reason` begins a sentence: `Left out, as …`; `name` is what it is about. */
  add(reason: string, name: string): void;
  /** One sentence for each reason, with the first names. */
  sentences(): string[];
}

const REASONS_MAX = 100;
const NAMES_SHOWN_MAX = 5;

export function createImportNotes(): ImportNotes {
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

/** The trimmed text, or its beginning with an ellipsis; never cut inside a character. */
export function trimToLength(text: string, charactersMax: number): string {
  // Documents can hold megabytes of blanks, and refer to them again and again.
  const beginning = text.slice(0, 2 * charactersMax).trim();
  if (beginning.length <= charactersMax) return beginning;
  return `${beginning.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A description as agents read it. */
export function formatDescription(text: string, isDeprecated: boolean): string {
  const mark = isDeprecated ? "Deprecated. " : "";
  return `${mark}${trimToLength(text, DESCRIPTION_CHARACTERS_MAX - mark.length)}`.trim();
}

/** Whether a JSON text holds U+0000 or half a character, which not every store and system takes. */
export function hasUnsupportedText(json: string): boolean {
  return /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
