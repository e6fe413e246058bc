/**
 * Two formatters of html-to-text, which nothing here asks for, write HTML; all others read it alone. The
 * package that they use brings a third set of entities along. In the place of "dom-serializer".
 */
export function render(): never {
  throw new Error("HTML is read here, and never written");
}
// oxlint-disable-next-line import/no-default-export -- domutils imports it by this name
export { render as default };
