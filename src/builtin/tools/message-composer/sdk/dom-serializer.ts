/** Replaces "dom-serializer", which only unused formatters of html-to-text call. */
export function render(): never {
  throw new Error("HTML is read here, and never written");
}
// oxlint-disable-next-line import/no-default-export -- domutils imports it by this name
export { render as default };
