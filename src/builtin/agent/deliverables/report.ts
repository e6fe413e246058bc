import MarkdownIt from "markdown-it";
import type { DrawnChart } from "../charts.ts";
import {
  buildReportSections,
  type ReportDraft,
  type ReportSection,
  reportTitleOf,
} from "./sections.ts";
import { escapeMarkdown, formatBulletList } from "./markdown.ts";

/** Page colours. The accent colour is the blue used in charts. */
const PAGE_TEXT_COLOUR = "#1f2328";
export const PAGE_MUTED_COLOUR = "#57606a";
export const PAGE_RULE_COLOUR = "#d8dee4";
export const PAGE_ACCENT_COLOUR = "#0072b2";
export const PAGE_TINT_COLOUR = "#f4f7fa";

/** Renders Markdown to HTML. Raw HTML in the Markdown is shown as text. */
export const markdownIt = new MarkdownIt({ html: false, linkify: false });
markdownIt.renderer.rules["table_open"] = () => '<div class="table"><table>\n';
markdownIt.renderer.rules["table_close"] = () => "</table></div>\n";
export const { escapeHtml } = markdownIt.utils;

/** A complete HTML page without scripts or external resources. */
export function renderHtmlPage(title: string, style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root{color-scheme:light;color:${PAGE_TEXT_COLOUR};background:#fff;font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
${style}
</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** A chart as an HTML figure. `place` makes its ids unique within the page. An empty caption is omitted. */
export function renderFigure({ svg }: DrawnChart, place: number, caption: string): string {
  const svgWithUniqueIds = svg
    .replaceAll(/( (?:id|class)="|url\(#|href="#)chart-/g, `$1chart${place}-`)
    .replace(/^<svg /, '<svg preserveAspectRatio="xMidYMid meet" ');
  const figcaption = caption === "" ? "" : `\n<figcaption>${escapeHtml(caption)}</figcaption>`;
  return `<figure>\n${svgWithUniqueIds}${figcaption}\n</figure>`;
}

const ISO_DAY_CHARACTERS = 10;

const CHARTS_NOT_SHOWN = "Charts (not included in this file):";

/** All sections of the report as Markdown, with chart titles in place of the charts. */
export function renderDocumentMarkdown(title: string, draft: ReportDraft): string {
  const parts = buildReportSections(draft).map(({ heading, body, charts }) => {
    const titles = charts.map((chart) => chart.title);
    const missing = titles.length === 0 ? "" : `${CHARTS_NOT_SHOWN}\n\n${formatBulletList(titles)}`;
    return [`## ${escapeMarkdown(heading)}`, body, missing]
      .filter((part) => part !== "")
      .join("\n\n");
  });
  return `${[`# ${escapeMarkdown(title)}`, escapeMarkdown(formatByline(draft)), ...parts].join("\n\n")}\n`;
}

export function renderReportHtml(draft: ReportDraft): string {
  const title = reportTitleOf(draft.task);
  const body = `<main>
<header>
<h1>${escapeHtml(title)}</h1>
<p class="byline">${escapeHtml(formatByline(draft))}</p>
</header>
${buildReportSections(draft).map(renderSection).join("\n")}
</main>`;
  return renderHtmlPage(title, REPORT_STYLE, body);
}

/** For example, "By Ada, 2026-03-01, from context.data (344 rows)." */
export function formatByline({ task, sources }: ReportDraft): string {
  const day = new Date(task.startedAt ?? task.createdAt).toISOString().slice(0, ISO_DAY_CHARACTERS);
  const read = sources.map(({ id, amount }) => `${id} (${amount})`).join(", ");
  return `By ${task.agentName ?? "the agent"}, ${day}${read === "" ? "" : `, from ${read}`}.`;
}

function renderSection({ heading, body, charts }: ReportSection): string {
  const isLead = heading === "Summary";
  // The drawing contains the chart's title, so the caption does not repeat it.
  const figures = charts.map((chart, index) =>
    renderFigure(chart, index + 1, [`Figure ${index + 1}.`, ...chart.notes].join(" ")),
  );
  return `<section${isLead ? ' class="lead"' : ""}>
<h2>${escapeHtml(heading)}</h2>
${markdownIt.render(body)}${figures.join("\n")}
</section>`;
}

const REPORT_STYLE = `body{margin:0}
main{max-width:60rem;margin:0 auto;padding:3rem 1.5rem 4rem}
header{border-bottom:3px solid ${PAGE_ACCENT_COLOUR};margin-bottom:2rem}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .4rem;text-wrap:balance;overflow-wrap:anywhere}
.byline{color:${PAGE_MUTED_COLOUR};margin:0 0 1rem}
section{margin:0 0 2.2rem}
h2{font-size:1.3rem;line-height:1.3;margin:0 0 .6rem}
p,ul{margin:.6rem 0;overflow-wrap:anywhere}
ul{padding-left:1.3rem}
li{margin:.3rem 0}
.lead{background:${PAGE_TINT_COLOUR};border-left:4px solid ${PAGE_ACCENT_COLOUR};padding:1rem 1.3rem;border-radius:0 6px 6px 0}
.lead p{font-size:1.08rem;margin:0}
.table{overflow-x:auto;margin:.8rem 0 1.4rem}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;min-width:50%}
th,td{padding:.4rem .8rem;border-bottom:1px solid ${PAGE_RULE_COLOUR};text-align:left;vertical-align:top}
th{border-bottom:2px solid ${PAGE_TEXT_COLOUR};white-space:nowrap}
tbody tr:nth-child(even){background:${PAGE_TINT_COLOUR}}
blockquote{margin:.8rem 0;padding:.1rem 1.1rem;border-left:3px solid ${PAGE_RULE_COLOUR};color:${PAGE_MUTED_COLOUR}}
figure{margin:1.6rem 0;break-inside:avoid}
figure svg{display:block;box-sizing:border-box;width:100%;height:auto;border:1px solid ${PAGE_RULE_COLOUR};border-radius:6px}
figcaption{color:${PAGE_MUTED_COLOUR};font-size:.9rem;margin-top:.4rem}
@media print{main{max-width:none;padding:0}section,tr{break-inside:avoid-page}h2{break-after:avoid}}`;
