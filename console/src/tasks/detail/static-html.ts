const REMOVED = [
  "script, style, link, meta, base, iframe, frame, object, embed, template, noscript, form, video, audio, source",
  "portal, svg style, svg script, svg foreignObject, svg use, svg image, svg animate, svg set",
].join(", ");

/** Attributes that are kept. Everything else could load something, run something or be reported as a violation. */
const KEPT =
  /^(?:alt|aria-[\w-]+|class|colspan|cx|cy|d|dir|dominant-baseline|dx|dy|fill|fill-opacity|font-size|font-weight|headers|height|id|lang|open|opacity|points|preserveaspectratio|r|role|rowspan|rx|ry|scope|start|stroke|stroke-dasharray|stroke-opacity|stroke-width|text-anchor|title|transform|viewbox|width|x|x1|x2|xmlns|y|y1|y2)$/u;

/** Removes everything from an HTML document that a sandboxed frame under the console's policy would not allow. */
export function withoutActiveContent(html: string): string {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.querySelectorAll(REMOVED)) element.remove();
  for (const element of parsed.querySelectorAll("*")) {
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? "";
      const isImageData = name === "src" && /^data:image\/(?!svg)/iu.test(value);
      const isRemote = /url\(/iu.test(value);
      if (!isImageData && (!KEPT.test(name.toLowerCase()) || isRemote))
        element.removeAttribute(name);
    }
  }
  return `<!doctype html>${parsed.documentElement.outerHTML}`;
}
