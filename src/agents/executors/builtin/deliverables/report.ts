import { titleOf, sectionsOf } from "./sections.ts";
import type { Draft } from "./draft.ts";
import { figureOf, loadHtml, pageOf, type Html } from "./html.ts";
import { plain } from "./markdown.ts";
import { ACCENT, INK, MUTED, RULE, TINT } from "./palette.ts";
import type { Section } from "./section.ts";

const ISO_DAY_CHARACTERS = 10;

/** The report as Markdown; charts are named there, and drawn in the HTML one. */
export function reportMarkdown(draft: Draft): string {
  return documentMarkdown(titleOf(draft.task), draft);
}

/** A full document under a title of its own. */
export function documentMarkdown(title: string, draft: Draft): string {
  const parts = sectionsOf(draft).map(({ heading, body, charts }) => {
    const captions = charts.map(({ caption }) => `*Chart: ${plain(caption)}.*`);
    return [`## ${plain(heading)}`, body, ...captions].filter((part) => part !== "").join("\n\n");
  });
  return `${[`# ${plain(title)}`, plain(byline(draft)), ...parts].join("\n\n")}\n`;
}

/** The report as a self-contained page. */
export async function reportHtml(draft: Draft): Promise<string> {
  const html = await loadHtml();
  const title = titleOf(draft.task);
  const sections = sectionsOf(draft).map((section) => sectionHtml(html, section));
  const body = `<main>
<header>
<h1>${html.escape(title)}</h1>
<p class="byline">${html.escape(byline(draft))}</p>
</header>
${sections.join("\n")}
</main>`;
  return pageOf(html, title, STYLE, body);
}

/** "By Ada, 2026-03-01, from context.csv (344 rows)." */
export function byline({ task, sources }: Draft): string {
  const day = new Date(task.startedAt ?? task.createdAt).toISOString().slice(0, ISO_DAY_CHARACTERS);
  const read = sources.map(({ id, amount }) => `${id} (${amount})`).join(", ");
  return `By ${task.agentName ?? "the agent"}, ${day}${read === "" ? "" : `, from ${read}`}.`;
}

function sectionHtml(html: Html, { heading, body, charts }: Section): string {
  const isLead = heading === "Summary";
  const figures = charts.map((chart, index) =>
    figureOf(html, chart, index + 1, `${chart.caption}.`),
  );
  return `<section${isLead ? ' class="lead"' : ""}>
<h2>${html.escape(heading)}</h2>
${html.render(body)}${figures.join("\n")}
</section>`;
}

const STYLE = `body{margin:0}
main{max-width:60rem;margin:0 auto;padding:3rem 1.5rem 4rem}
header{border-bottom:3px solid ${ACCENT};margin-bottom:2rem}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .4rem;text-wrap:balance;overflow-wrap:anywhere}
.byline{color:${MUTED};margin:0 0 1rem}
section{margin:0 0 2.2rem}
h2{font-size:1.3rem;line-height:1.3;margin:0 0 .6rem}
p,ul{margin:.6rem 0;overflow-wrap:anywhere}
ul{padding-left:1.3rem}
li{margin:.3rem 0}
.lead{background:${TINT};border-left:4px solid ${ACCENT};padding:1rem 1.3rem;border-radius:0 6px 6px 0}
.lead p{font-size:1.08rem;margin:0}
.table{overflow-x:auto;margin:.8rem 0 1.4rem}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;min-width:50%}
th,td{padding:.4rem .8rem;border-bottom:1px solid ${RULE};text-align:left;vertical-align:top}
th{border-bottom:2px solid ${INK};white-space:nowrap}
tbody tr:nth-child(even){background:${TINT}}
blockquote{margin:.8rem 0;padding:.1rem 1.1rem;border-left:3px solid ${RULE};color:${MUTED}}
figure{margin:1.6rem 0;break-inside:avoid}
figure svg{display:block;max-width:100%;height:auto;border:1px solid ${RULE};border-radius:6px}
figcaption{color:${MUTED};font-size:.9rem;margin-top:.4rem}
small{font-size:.92em}
@media print{main{max-width:none;padding:0}section,tr{break-inside:avoid-page}h2{break-after:avoid}}`;
