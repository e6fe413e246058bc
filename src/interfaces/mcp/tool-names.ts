import {
  hashFunctionName,
  FUNCTION_NAME_CHARACTERS_MAX,
  sanitizeFunctionName,
  appendNameSuffix,
} from "../../tools/schema/function-schema.ts";

/** What a name stands for: one capability of one tool. */
export interface CapabilityRef {
  readonly toolId: string;
  readonly id: string;
}

/** Two underscores once, none beside them, and no hash behind: such a name can be read in one way alone. */
const PLAIN_NAME = /^(?!.*_[0-9a-f]{8}$)((?:[a-zA-Z0-9-]|_(?!_))+)__((?:[a-zA-Z0-9-]|_(?!_))+)$/;

/**
 * A capability's name as a tool of MCP, by itself alone and so always the same: `toolId__capability`, of at
 * most 64 letters, digits, `_` and `-`, which all models' makers take. One that had to be changed for that,
 * or could be read in two ways, ends in a hash of what it stands for.
 */
export function formatToolName({ toolId, id }: CapabilityRef): string {
  const plain = `${toolId}__${id}`;
  const read = parseToolName(plain);
  if (read?.toolId === toolId && read.id === id) return plain;
  return appendNameSuffix(
    sanitizeFunctionName(plain),
    hashFunctionName(JSON.stringify([toolId, id])),
  );
}

/** What a plain name stands for; null where only the names of all capabilities tell. */
export function parseToolName(name: string): CapabilityRef | null {
  if (name.length > FUNCTION_NAME_CHARACTERS_MAX) return null;
  const [, toolId, id] = PLAIN_NAME.exec(name) ?? [];
  return toolId === undefined || id === undefined || toolId.endsWith("_") || id.startsWith("_")
    ? null
    : { toolId, id };
}

/** Where capabilities are to be looked for: among which tools, and like which `toolId__capability`. */
interface CapabilityPattern {
  /** What the tool's id begins with: the part that no change can have touched. */
  readonly toolPrefix: string;
  /** For SQL's LIKE, where `_` is any character. */
  readonly pattern: string;
}

/** What a name that ends in a hash can stand for; null for one that can stand for nothing. */
export function toCapabilityPattern(name: string): CapabilityPattern | null {
  const [, stem = "", toolPrefix = ""] = HASHED_NAME.exec(name) ?? [];
  if (stem === "" || name.length > FUNCTION_NAME_CHARACTERS_MAX) return null;
  const isWhole =
    name.length < FUNCTION_NAME_CHARACTERS_MAX && stem.length < PATTERN_CHARACTERS_MAX;
  const pattern = isWhole ? stem : `${stem.slice(0, PATTERN_CHARACTERS_MAX - 1)}%`;
  return { toolPrefix, pattern };
}

/** All ids begin with a letter or digit. */
const HASHED_NAME = /^(([a-zA-Z0-9][a-zA-Z0-9-]*)[a-zA-Z0-9_-]*)_[0-9a-f]{8}$/;
/** D1 takes patterns of at most 50 bytes. */
const PATTERN_CHARACTERS_MAX = 50;
