import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeReport } from "../../bench/report/write.ts";
import { SAMPLE_RESULTS } from "./sample-results.ts";

it("a new report replaces the earlier page and charts and includes the notes on what was tried", () => {
  const folder = mkdtempSync(join(tmpdir(), "bosun-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "charts"));
  writeFileSync(join(folder, "charts", "no-longer-done.svg"), "<svg/>");
  writeFileSync(join(folder, "charts", "notes.md"), "kept");
  writeFileSync(join(folder, "results.md"), "an earlier run's");
  writeFileSync(join(folder, "tried.md"), "- A cache was tried.\n");
  writeReport(SAMPLE_RESULTS, folder);
  const page = readFileSync(join(folder, "results.md"), "utf8");
  expect(page).toContain("- A cache was tried.");
  expect(page).not.toContain("earlier run");
  const linked = [...page.matchAll(/\]\(charts\/([^)]+)\)/g)].map(([, name = ""]) => name);
  expect(readdirSync(join(folder, "charts")).toSorted()).toEqual(
    [...linked, "notes.md"].toSorted(),
  );
  for (const name of linked) {
    expect(readFileSync(join(folder, "charts", name), "utf8")).toMatch(/^<svg /);
  }
});

it("bench/results.md contains the current notes of bench/tried.md", () => {
  const read = (name: string): string => readFileSync(join("bench", name), "utf8");
  expect(read("results.md")).toContain(read("tried.md").trim());
});
