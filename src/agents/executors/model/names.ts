import type { UsableCapability } from "../contract.ts";

const NAME_CHARACTERS_MAX = 64;
const NOT_ALLOWED = /[^a-zA-Z0-9_-]/g;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A function's name for each capability, in their order: `toolId__capability`, of at most 64 letters,
 * digits, `_` and `-`. A name that had to be changed ends in a hash of what it stands for, so that it
 * stays the same whatever else is granted.
 */
export function functionNames(
  capabilities: readonly Pick<UsableCapability, "toolId" | "id">[],
): string[] {
  const taken = new Set<string>();
  return capabilities.map(({ toolId, id }) => {
    const plain = `${toolId}__${id}`;
    const tidy = plain.replaceAll(NOT_ALLOWED, "_");
    const isPlain = tidy === plain && tidy.length <= NAME_CHARACTERS_MAX && !taken.has(tidy);
    let name = isPlain ? tidy : withSuffix(tidy, hashed(JSON.stringify([toolId, id])));
    for (let place = 2; taken.has(name); place += 1) name = withSuffix(tidy, String(place));
    taken.add(name);
    return name;
  });
}

function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, NAME_CHARACTERS_MAX - suffix.length - 1)}_${suffix}`;
}

/** FNV-1a, 32 bits: for telling names apart, not for secrets. */
function hashed(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
