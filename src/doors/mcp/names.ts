import { hashed, NAME_CHARACTERS_MAX, tidied, withSuffix } from "../../tools/function-name.ts";

/** What a name stands for: one capability of one tool. */
export interface Named {
  readonly toolId: string;
  readonly id: string;
}

/** Two underscores once, none beside them, and no hash behind: such a name can be read in one way alone. */
const PLAIN = /^(?!.*_[0-9a-f]{8}$)((?:[a-zA-Z0-9-]|_(?!_))+)__((?:[a-zA-Z0-9-]|_(?!_))+)$/;

/**
 * A capability's name as a tool of MCP, by itself alone and so always the same: `toolId__capability`, of at
 * most 64 letters, digits, `_` and `-`, which all models' makers take. One that had to be changed for that,
 * or could be read in two ways, ends in a hash of what it stands for.
 */
export function nameOf({ toolId, id }: Named): string {
  const plain = `${toolId}__${id}`;
  const read = readName(plain);
  if (read?.toolId === toolId && read.id === id) return plain;
  return withSuffix(tidied(plain), hashed(JSON.stringify([toolId, id])));
}

/** What a plain name stands for; null where only the names of all capabilities tell. */
export function readName(name: string): Named | null {
  if (name.length > NAME_CHARACTERS_MAX) return null;
  const [, toolId, id] = PLAIN.exec(name) ?? [];
  return toolId === undefined || id === undefined || toolId.endsWith("_") || id.startsWith("_")
    ? null
    : { toolId, id };
}

/** What the id of a tool begins with whose capability has this name: the part that no change can have touched. */
export function toolPrefixOf(name: string): string {
  return /^[a-zA-Z0-9-]*/.exec(name)?.[0] ?? "";
}
