import fc, { type Arbitrary } from "fast-check";

/** JSON with one character removed, duplicated or replaced; usually invalid. */
export function corruptJson(source: Arbitrary<string>): Arbitrary<string> {
  return fc
    .tuple(source, fc.nat(), fc.constantFrom("", '"', "{", "]", ",", "\\", "0", "\u0000", "é"))
    .map(([whole, place, letter]) => {
      const at = place % (whole.length + 1);
      return whole.slice(0, at) + letter + whole.slice(at + 1);
    });
}
