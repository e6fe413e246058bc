import { convert } from "html-to-text";

/** HTML as plain text; `wrap` is the column after which lines are wrapped, null for never. */
export function textOfHtml(html: string, wrap: number | null): string {
  return convert(html, {
    wordwrap: wrap ?? false,
    selectors: [
      { selector: "table", format: "dataTable" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
}
