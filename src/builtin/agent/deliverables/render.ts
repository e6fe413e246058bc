import {
  buildFeedbackSections,
  type ReportDraft,
  reportTitleOf,
  selectMainInsights,
} from "./sections.ts";
import { capabilityPathOf } from "../tool-calls.ts";
import type { NewFile } from "../../../executors/contract.ts";
import { capitalize, toSingleLine } from "../../../kernel/text.ts";
import { createFileNamer, toFileStem } from "../../../tasks/model/files.ts";
import {
  renderDocumentMarkdown,
  renderReportHtml,
  formatByline,
  escapeHtml,
  markdownIt,
  PAGE_ACCENT_COLOUR,
  PAGE_MUTED_COLOUR,
  PAGE_RULE_COLOUR,
  PAGE_TINT_COLOUR,
  renderFigure,
  renderHtmlPage,
} from "./report.ts";
import type { Workbook } from "./spreadsheet.ts";
import { parseDeliverableKind } from "./kinds.ts";
import { formatBulletList, escapeMarkdown } from "./markdown.ts";

const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
const HTML_TYPE = "text/html; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const TYPE_CHARACTERS_MAX = 60;

/** Renders the files for the requested deliverable types. `workbook` is null unless a spreadsheet is requested. */
export function renderDeliverables(
  draft: ReportDraft,
  types: readonly string[],
  workbook: Workbook | null,
): NewFile[] {
  const nameFor = createFileNamer();
  return types.flatMap((type) => renderFiles(type, draft, workbook, nameFor));
}

function renderFiles(
  type: string,
  draft: ReportDraft,
  workbook: Workbook | null,
  nameFor: ReturnType<typeof createFileNamer>,
): NewFile[] {
  const title = reportTitleOf(draft.task);
  const file = (stem: string, extension: string, format: string, text: string): NewFile => ({
    type,
    name: nameFor(stem, extension),
    format,
    bytes: new TextEncoder().encode(text),
  });
  switch (parseDeliverableKind(type)) {
    case "report":
      return [
        file("report", "md", MARKDOWN_TYPE, renderDocumentMarkdown(title, draft)),
        file("report", "html", HTML_TYPE, renderReportHtml(draft)),
      ];
    case "presentation":
      return [file("presentation", "html", HTML_TYPE, renderPresentationHtml(draft))];
    case "analysis":
      return [file("analysis", "json", "application/json", renderAnalysisJson(draft))];
    case "chart":
      return draft.charts.map(({ svg }) => file("chart", "svg", "image/svg+xml", svg));
    case "summary":
      return [file("summary", "txt", TEXT_TYPE, renderSummaryText(draft))];
    case "spreadsheet": {
      const bytes = workbook?.bytes ?? new Uint8Array();
      return [{ type, name: nameFor("spreadsheet", "xlsx"), format: XLSX_TYPE, bytes }];
    }
    case null: {
      const heading = `${capitalize(toSingleLine(type, TYPE_CHARACTERS_MAX))}: ${title}`;
      return [file(toFileStem(type), "md", MARKDOWN_TYPE, renderDocumentMarkdown(heading, draft))];
    }
  }
}

function renderAnalysisJson(draft: ReportDraft): string {
  const { task, sources, findings, insights, result, quality, limits, entries } = draft;
  return JSON.stringify(
    {
      task: task.task,
      sources: sources.map(({ id, kind, amount, digest }) => ({ id, kind, amount, digest })),
      summary: result.summary,
      insights: insights.map(({ text, crossCheck }) => ({ text, check: crossCheck })),
      recommendations: result.recommendations,
      findings,
      limits,
      quality,
      calls: entries.map((entry) => ({
        capability: capabilityPathOf(entry),
        source: entry.source,
        asked: entry.asked,
        problem: entry.problem,
      })),
    },
    null,
    2,
  );
}

function renderSummaryText(draft: ReportDraft): string {
  const { result, limits } = draft;
  const parts = [
    reportTitleOf(draft.task),
    result.summary,
    formatPlainList("Insights", result.insights),
    formatPlainList("Recommendations", result.recommendations),
    formatPlainList("Limitations", limits),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function formatPlainList(heading: string, items: readonly string[]): string {
  return items.length === 0 ? "" : [heading, ...items.map((item) => `- ${item}`)].join("\n");
}

const BULLETS_MAX = 6;

interface Slide {
  readonly heading: string;
  readonly html: string;
}

/** Slides as a self-contained HTML page with an overview. They snap into place when scrolled and print one per page. */
function renderPresentationHtml(draft: ReportDraft): string {
  const title = reportTitleOf(draft.task);
  const slides = buildSlides(draft);
  const overview = slides.map(
    ({ heading }, index) => `<li><a href="#slide-${index + 2}">${escapeHtml(heading)}</a></li>`,
  );
  const cover = `<section class="cover" id="slide-1">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(formatByline(draft))}</p>
<nav class="overview" aria-label="Slides">
<ol start="2">
${overview.join("\n")}
</ol>
</nav>
${renderPager(1, slides.length + 1)}
</section>`;
  const rest = slides.map(
    ({ heading, html }, index) => `<section id="slide-${index + 2}">
<h2>${escapeHtml(heading)}</h2>
<div class="content">
${html}
</div>
${renderPager(index + 2, slides.length + 1)}
</section>`,
  );
  const body = `<main>\n${[cover, ...rest].join("\n")}\n</main>`;
  return renderHtmlPage(title, PRESENTATION_STYLE, body);
}

function buildSlides(draft: ReportDraft): Slide[] {
  const { result, limits, charts } = draft;
  return [
    {
      heading: "Summary",
      html: `<div class="big">${markdownIt.render(escapeMarkdown(result.summary))}</div>`,
    },
    ...buildListSlides("Main findings", selectMainInsights(draft)),
    ...charts.map((chart, index) => ({
      heading: chart.finding,
      html: renderFigure(chart, index + 1, chart.notes.join(" ")),
    })),
    ...buildListSlides("Recommendations", result.recommendations),
    ...buildFeedbackSections(draft.task).map(({ heading, body }) => ({
      heading,
      html: markdownIt.render(body),
    })),
    ...buildListSlides("Limitations", limits),
  ];
}

/** Distributes the items evenly over as few slides as possible. */
function buildListSlides(heading: string, items: readonly string[]): Slide[] {
  const count = Math.ceil(items.length / BULLETS_MAX);
  const each = Math.ceil(items.length / Math.max(count, 1));
  return Array.from({ length: count }, (_, index) => ({
    heading: count === 1 ? heading : `${heading} (${index + 1} of ${count})`,
    html: markdownIt.render(formatBulletList(items.slice(index * each, (index + 1) * each))),
  }));
}

/** Links to the previous slide, the overview and the next slide. They work without scripts. */
function renderPager(place: number, of: number): string {
  const back =
    place === 1
      ? "<span></span>"
      : `<a href="#slide-${place - 1}" aria-label="Previous slide">←</a>`;
  const on =
    place === of ? "<span></span>" : `<a href="#slide-${place + 1}" aria-label="Next slide">→</a>`;
  const overview = `<a class="place" href="#slide-1" aria-label="Overview, slide ${place} of ${of}">${place} / ${of}</a>`;
  return `<nav class="pager" aria-label="Slide navigation">${back}${overview}${on}</nav>`;
}

const PRESENTATION_STYLE = `html{scroll-snap-type:y mandatory;scroll-behavior:smooth}
body{margin:0}
section{box-sizing:border-box;min-height:100vh;padding:5vh 7vw 4.5rem;display:flex;flex-direction:column;position:relative;scroll-snap-align:start;border-bottom:1px solid ${PAGE_RULE_COLOUR}}
h1{font-size:clamp(2rem,5.5vw,4.2rem);line-height:1.12;margin:auto 0 1.2rem;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:clamp(1.4rem,3vw,2.4rem);line-height:1.2;margin:0;padding-bottom:.5rem;border-bottom:3px solid ${PAGE_ACCENT_COLOUR};overflow-wrap:anywhere}
.content{flex:1;display:flex;flex-direction:column;justify-content:center;font-size:clamp(1rem,2vw,1.9rem);line-height:1.45;min-width:0}
.big{font-size:1.25em}
ul{padding-left:1.2em;margin:.5em 0}
li{margin:.55em 0;overflow-wrap:anywhere}
.content li::marker{color:${PAGE_ACCENT_COLOUR}}
p{overflow-wrap:anywhere}
.cover{background:${PAGE_ACCENT_COLOUR};color:#fff}
.cover p{margin:0;font-size:clamp(1rem,1.8vw,1.5rem);opacity:.9}
.cover a,.cover nav{color:#fff}
.overview{margin:0 0 auto;font-size:clamp(.85rem,1.3vw,1.1rem);line-height:1.35}
.overview ol{columns:2;column-gap:3rem;margin:1.5rem 0 0;padding-left:1.6em}
.overview li{break-inside:avoid;margin:0 0 .45em}
blockquote{margin:.4em 0 1em;padding:.2em 1em;background:${PAGE_TINT_COLOUR};border-left:4px solid ${PAGE_ACCENT_COLOUR}}
figure{margin:1rem 0 0;text-align:center}
figure svg{width:100%;height:auto;max-height:62vh}
figcaption{font-size:.7em;color:${PAGE_MUTED_COLOUR}}
.pager{position:absolute;right:7vw;bottom:1.4rem;display:flex;gap:1rem;align-items:center;color:${PAGE_MUTED_COLOUR};font-size:1rem}
.pager a{color:${PAGE_ACCENT_COLOUR};text-decoration:none;padding:.3rem .6rem;border:1px solid currentcolor;border-radius:4px}
@media (max-width:700px),(max-height:480px){html{scroll-snap-type:none}.overview ol{columns:1}figure svg{max-height:none}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@page{size:297mm 167mm;margin:0}
@media print{html{font-size:15pt}section{min-height:0;height:167mm;break-after:page;border:0}.pager a{border:0}.pager a:not(.place){display:none}.cover{print-color-adjust:exact}figure svg{max-height:105mm}}`;
