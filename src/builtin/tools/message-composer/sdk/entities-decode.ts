// The tables of HTML's entities hardly shrink, and the bundle would hold them once for each version of
// the package: the HTML parser gets markdown-it's. wrangler.toml puts this in the place of "entities/decode".
export {
  DecodingMode,
  EntityDecoder,
  htmlDecodeTree,
  xmlDecodeTree,
} from "../../../../../node_modules/markdown-it/node_modules/entities/dist/decode.js";

/** The one thing that the parser's own version has beside these. */
export function fromCodePoint(...codePoints: number[]): string {
  return String.fromCodePoint(...codePoints);
}
