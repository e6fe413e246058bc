// npm run mutants [-- <name> …]: disables one protection at a time in a copy of the project and checks that one of
// the tests listed for it fails. Exits with code 1 if a mutant survives.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MUTANTS } from "./mutants/all.ts";
import { copyProject } from "./mutants/copy.ts";
import { mutated, type Mutant } from "./mutants/mutant.ts";
import { NUMBERED, PROMISES } from "./mutants/promises.ts";
import { runTests } from "./mutants/run-tests.ts";
import { verdictOf } from "./mutants/verdict.ts";

const PROJECT = join(import.meta.dirname, "..");
/** Ten times as long as the slowest test file takes on an idle machine. */
const MUTANT_TIMEOUT_MS = 120_000;
const BASELINE_TIMEOUT_MS = 600_000;

process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
const chosen = choose(process.argv.slice(2));
const copy = copyProject(PROJECT);
process.once("exit", () => copy.remove());
const sources = new Map(
  chosen.map(({ file }) => [file, readFileSync(join(copy.root, file), "utf8")]),
);
// A mutant that no longer applies proves nothing, so check this before any test runs.
for (const mutant of chosen) mutated(sourceOf(mutant), mutant);
await expectAllToPass();
console.log(
  "| Mutant | Guarantee | Property that it breaks | Detected by | s |\n|---|---|---|---|---|",
);
let survivors = 0;
for (const mutant of chosen) if (!(await isCaught(mutant))) survivors += 1;
reportUncoveredPromises();
console.log(`\n${chosen.length - survivors} of ${chosen.length} mutants were detected.`);
process.exit(survivors === 0 ? 0 : 1);

function choose(names: readonly string[]): readonly Mutant[] {
  const all = new Set(MUTANTS.map(({ name }) => name));
  if (all.size < MUTANTS.length) throw new Error("Two mutants have the same name");
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) {
    throw new Error(`Unknown mutants: ${unknown.join(", ")}. Choose from: ${[...all].join(", ")}`);
  }
  return names.length === 0 ? MUTANTS : MUTANTS.filter(({ name }) => names.includes(name));
}

function sourceOf({ file }: Mutant): string {
  const source = sources.get(file);
  if (source === undefined) throw new Error(`${file} was not read`);
  return source;
}

/** Runs the tests on the unchanged copy. A test that fails here would prove nothing about a mutant. */
async function expectAllToPass(): Promise<void> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const { passed, failed, error, seconds } = await runTests(copy.root, files, BASELINE_TIMEOUT_MS);
  const empty = files.filter((file) => (passed.get(file) ?? 0) === 0);
  for (const { file, name, message } of failed) console.error(`${file}: ${name}\n${message}\n`);
  if (failed.length > 0 || error !== null || empty.length > 0) {
    throw new Error(`The tests must pass without a mutant: ${error ?? [...empty].join(", ")}`);
  }
  const tests = [...passed.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${tests} tests in ${files.length} files pass without a mutant, ${seconds.toFixed(0)} s\n`,
  );
}

async function isCaught(mutant: Mutant): Promise<boolean> {
  const { name, promise, protects, file, tests, only } = mutant;
  const path = join(copy.root, file);
  writeFileSync(path, mutated(sourceOf(mutant), mutant));
  const outcome = await runTests(copy.root, tests, MUTANT_TIMEOUT_MS, only);
  writeFileSync(path, sourceOf(mutant));
  const verdict = verdictOf(outcome);
  const by = verdict.isCaught
    ? `${verdict.by.file}: ${verdict.by.name}`
    : "**no test (the mutant survives)**";
  const cells = [name, promise, protects, by, outcome.seconds.toFixed(1)];
  console.log(`| ${cells.map(cellOf).join(" | ")} |`);
  if (!verdict.isCaught) console.error(`${name}: ${verdict.why}`);
  return verdict.isCaught;
}

/** Formats a table cell. Test names can contain pipes and line breaks. */
function cellOf(text: string | number): string {
  return String(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", String.raw`\|`);
}

function reportUncoveredPromises(): void {
  const covered = new Set(MUTANTS.map(({ promise }) => promise));
  for (const promise of NUMBERED.filter((one) => !covered.has(one))) {
    console.log(`No mutant covers guarantee ${promise}: ${PROMISES[promise]}`);
  }
}
