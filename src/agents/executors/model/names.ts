import { hashed, NAME_CHARACTERS_MAX, tidied, withSuffix } from "../../../tools/function-name.ts";
import type { UsableCapability } from "../contract.ts";

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
    const tidy = tidied(plain);
    const isPlain = tidy === plain && tidy.length <= NAME_CHARACTERS_MAX && !taken.has(tidy);
    let name = isPlain ? tidy : withSuffix(tidy, hashed(JSON.stringify([toolId, id])));
    for (let place = 2; taken.has(name); place += 1) name = withSuffix(tidy, String(place));
    taken.add(name);
    return name;
  });
}
