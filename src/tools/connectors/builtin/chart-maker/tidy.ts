/**
 * What ECharts writes for pages that react to the mouse, its running number of the drawing, and a
 * baseline that few renderers but browsers know. Labels cannot match: ECharts escapes < and " in them.
 */
const REPLACED: readonly (readonly [found: RegExp, by: string])[] = [
  [/<style >[^]*?<\/style>\n?/g, ""],
  [/ class="zr\d+-cls-\d+"/g, ""],
  [/ ecmeta_[a-z_]+="[^"<]*"/g, ""],
  [/ pointer-events="visible"/g, ""],
  [/( id="|="url\(#)zr\d+-/g, "$1chart-"],
  [/<text dominant-baseline="central"/g, '<text dy="0.35em"'],
];

/** An SVG text of ECharts as a still picture, the same for the same drawing. */
export function tidySvg(svg: string): string {
  return REPLACED.reduce((text, [found, by]) => text.replace(found, by), svg);
}
