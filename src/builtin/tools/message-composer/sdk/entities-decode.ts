// Replaces "entities/decode" of the HTML parser by that of markdown-it, so that the bundle has its tables once.
export {
  DecodingMode,
  EntityDecoder,
  htmlDecodeTree,
  xmlDecodeTree,
} from "../../../../../node_modules/markdown-it/node_modules/entities/dist/decode.js";

/** Also exported by the original module. */
export function fromCodePoint(...codePoints: number[]): string {
  return String.fromCodePoint(...codePoints);
}
