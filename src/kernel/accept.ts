/** A media range of an `Accept` header. */
interface MediaRange {
  /** In lower case and without parameters, such as `text/html`, `text/*` or the range that matches everything. */
  readonly name: string;
  /** From 0 (not acceptable) to 1. */
  readonly quality: number;
}

const RANGE = /^(?:\*\/\*|[\w!#$%&'+.^`|~-]+\/(?:\*|[\w!#$%&'+.^`|~-]+))$/;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The offered media type that an `Accept` header prefers (RFC 9110, section 12.5.1); null if it accepts none of them.
 * Without a valid range in the header, the first type is preferred. Of types with equal quality, the one that a more
 * specific range names is preferred, and then the one that is offered first.
 *
 * @example
 * selectMediaType("text/html,*\/*;q=0.8", ["application/json", "text/html"]); // "text/html"
 */
export function selectMediaType<Type extends string>(
  header: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type | null {
  const ranges = parseAccept(header ?? "");
  if (ranges.length === 0) return offered[0];
  const [best] = offered
    .map((type) => ({ type, ...rate(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality || b.specificity - a.specificity);
  return best === undefined ? null : best.type;
}

/** The quality of the most specific range that matches a type. */
function rate(
  type: string,
  ranges: readonly MediaRange[],
): { readonly quality: number; readonly specificity: number } {
  const patterns = ["*/*", `${type.split("/")[0] ?? ""}/*`, type];
  for (let specificity = patterns.length - 1; specificity >= 0; specificity -= 1) {
    const found = ranges.find(({ name }) => name === patterns[specificity]);
    if (found !== undefined) return { quality: found.quality, specificity };
  }
  return { quality: 0, specificity: 0 };
}

/** The valid ranges of a header. Other parameters than `q` are ignored, because no offered type has any. */
function parseAccept(header: string): MediaRange[] {
  return header.split(",").flatMap((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => /^q=/i.test(text))?.slice(2);
    if (!RANGE.test(name) || (weight !== undefined && !QUALITY.test(weight))) return [];
    return [{ name: name.toLowerCase(), quality: weight === undefined ? 1 : Number(weight) }];
  });
}
