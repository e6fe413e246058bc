import type { Results } from "../results.ts";
import { costSection } from "./cost-section.ts";
import { bytesText, dayOf, measured } from "./digits.ts";
import { groupsOf } from "./groups.ts";
import { methodSection } from "./method.ts";
import { figures, oneLine, table, words } from "./table.ts";
import { targetsTable } from "./targets.ts";
import { groupSection } from "./works.ts";

/** A link from the page to a chart. */
export interface ChartLink {
  /** Relative to the page. */
  readonly path: string;
  /** The text alternative. */
  readonly description: string;
}

/**
 * Formats the results as a Markdown page. `tried` contains handwritten notes on optimisations and their effects, or is
 * null if there are none.
 */
export function resultsPage(
  results: Results,
  charts: readonly ChartLink[],
  tried: string | null = null,
): string {
  const sections = [
    heading(results),
    ["## Targets", targetsTable(results.targets)].join("\n\n"),
    ...groupsOf(results.works).map(groupSection),
    chartsSection(charts),
    bundleSection(results.bundle),
    costSection(results.life, results.pacedLife),
    tried === null ? null : triedSection(tried),
    methodSection(results),
    leftOutSection(results.leftOut),
  ];
  return `${sections.filter((section) => section !== null).join("\n\n")}\n`;
}

function heading({ at, commit }: Results): string {
  return [
    "# Benchmark",
    `This page compares Bosun with a baseline, which is the least that a Worker can do for the same tasks, and with other task services, all on one machine. The figures were measured on ${dayOf(at)} at commit \`${oneLine(commit)}\`. \`npm run bench\` repeats all measurements and rewrites this page.`,
  ].join("\n\n");
}

function chartsSection(charts: readonly ChartLink[]): string | null {
  if (charts.length === 0) return null;
  const images = charts.map(({ path, description }) => `![${altText(description)}](${path})`);
  return ["## Charts", ...images].join("\n\n");
}

function altText(description: string): string {
  return oneLine(description).replaceAll(/[\\[\]]/g, "\\$&");
}

function bundleSection({ bytes, gzipBytes, startUpMs }: Results["bundle"]): string {
  return [
    "## Bundle and start-up",
    table(
      [words("metric"), figures("measured")],
      [
        ["bundle", bytesText(bytes)],
        ["bundle, gzip", bytesText(gzipBytes)],
        ["start-up", `${measured(startUpMs)} ms`],
      ],
    ),
  ].join("\n\n");
}

/** The section with the notes, without their own title. */
function triedSection(tried: string): string {
  const text = tried.trim().replace(/^#+ .*\n*/, "");
  return ["## Optimisations and their effects", text].join("\n\n");
}

function leftOutSection(leftOut: readonly string[]): string {
  const lines = leftOut.map((reason) => `- ${oneLine(reason)}`);
  return ["## Omitted contestants", lines.length === 0 ? "None." : lines.join("\n")].join("\n\n");
}
