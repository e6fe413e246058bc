import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../results.ts";
import { chartsOf } from "./charts.ts";
import { resultsPage } from "./markdown.ts";

const CHARTS = "charts";
const TRIED = "tried.md";

/** Writes `results.md` and its charts to a folder, replacing those of an earlier run. */
export function writeReport(results: Results, folder: string): void {
  const charts = chartsOf(results).map(({ name, description, svg }) => ({
    path: `${CHARTS}/${name}.svg`,
    description,
    svg,
  }));
  const tried = join(folder, TRIED);
  const page = resultsPage(results, charts, existsSync(tried) ? readFileSync(tried, "utf8") : null);
  mkdirSync(join(folder, CHARTS), { recursive: true });
  removeDrawings(join(folder, CHARTS));
  for (const { path, svg } of charts) writeFileSync(join(folder, path), svg);
  writeFileSync(join(folder, "results.md"), page);
}

/** Deletes all charts, including those of operations that are no longer measured. */
function removeDrawings(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith(".svg")) rmSync(join(folder, name));
}
