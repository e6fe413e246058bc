import {
  hashFunctionName,
  FUNCTION_NAME_CHARACTERS_MAX,
  sanitizeFunctionName,
  appendNameSuffix,
} from "../../tools/schema/function-schema.ts";

/** The capability that an MCP name identifies. */
export interface CapabilityRef {
  readonly toolId: string;
  readonly id: string;
}

/** A name with exactly one double underscore and no hash at the end can be parsed in only one way. */
const PLAIN_NAME = /^(?!.*_[0-9a-f]{8}$)((?:[a-zA-Z0-9-]|_(?!_))+)__((?:[a-zA-Z0-9-]|_(?!_))+)$/;

/**
 * The MCP name of a capability: `toolId__capability`. The name never changes. It has at most 64 characters (letters,
 * digits, `_` and `-`), so that model providers accept it. A name that would be ambiguous or has to be altered ends in
 * a hash of the ids.
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

/** The capability that a plain name refers to; null for a name that ends in a hash or is invalid. */
export function parseToolName(name: string): CapabilityRef | null {
  if (name.length > FUNCTION_NAME_CHARACTERS_MAX) return null;
  const [, toolId, id] = PLAIN_NAME.exec(name) ?? [];
  return toolId === undefined || id === undefined || toolId.endsWith("_") || id.startsWith("_")
    ? null
    : { toolId, id };
}

/** Matches the capabilities that a name with a hash could refer to. */
interface CapabilityPattern {
  /** A prefix of the tool's id that sanitising cannot have changed. */
  readonly toolPrefix: string;
  /** A LIKE pattern for `toolId__capability`, in which `_` matches any character. */
  readonly pattern: string;
}

/** The pattern for a name that ends in a hash; null for any other name. */
export function toCapabilityPattern(name: string): CapabilityPattern | null {
  const [, stem = "", toolPrefix = ""] = HASHED_NAME.exec(name) ?? [];
  if (stem === "" || name.length > FUNCTION_NAME_CHARACTERS_MAX) return null;
  const isWhole =
    name.length < FUNCTION_NAME_CHARACTERS_MAX && stem.length < PATTERN_CHARACTERS_MAX;
  const pattern = isWhole ? stem : `${stem.slice(0, PATTERN_CHARACTERS_MAX - 1)}%`;
  return { toolPrefix, pattern };
}

/** All ids begin with a letter or a digit. */
const HASHED_NAME = /^(([a-zA-Z0-9][a-zA-Z0-9-]*)[a-zA-Z0-9_-]*)_[0-9a-f]{8}$/;
/** D1 accepts patterns of at most 50 bytes. */
const PATTERN_CHARACTERS_MAX = 50;
