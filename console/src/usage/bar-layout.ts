export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The share of each place that is the gap between bars. */
const GAP_SHARE = 0.2;

/** Vertical bars from left to right. The largest value fills the height. A positive value is at least one unit high. */
export function layoutBars(values: readonly number[], size: Size, max: number): readonly Bar[] {
  const place = size.width / Math.max(1, values.length);
  const width = place * (1 - GAP_SHARE);
  return values.map((value, index) => {
    const scaled = max > 0 ? (Math.min(value, max) / max) * size.height : 0;
    const height = value > 0 ? Math.max(1, scaled) : 0;
    return { x: index * place + (place - width) / 2, y: size.height - height, width, height };
  });
}

/** The next number that is at least `value` and a small multiple of a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return factor * power;
}
