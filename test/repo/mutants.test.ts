import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MUTANTS } from "../../scripts/mutants/all.ts";
import { mutated } from "../../scripts/mutants/mutant.ts";

const ROOT = join(import.meta.dirname, "../..");

it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  "the mutant %s changes existing code and names existing test files",
  (_, mutant) => {
    const source = readFileSync(join(ROOT, mutant.file), "utf8");
    expect(mutated(source, mutant)).not.toBe(source);
    expect(mutant.tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  },
);

const NAME = /#?[A-Za-z_$][\w$]*/g;
const STRING = /"[^"\n]*"|'[^'\n]*'/g;
/** Names that a mutant may use even if its file does not contain them. */
const KNOWN =
  "Date Infinity ReturnType now resolve startsWith stringify then trim as false let true undefined unknown mine revoked_at _000".split(
    " ",
  );

it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  "the mutant %s uses only names that exist in its file",
  (_, { file, replace }) => {
    const source = readFileSync(join(ROOT, file), "utf8");
    const known = new Set([...KNOWN, ...(source.match(NAME) ?? [])]);
    const names = replace.replaceAll(STRING, "").match(NAME) ?? [];
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  },
);

it("no two mutants have the same name", () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it("docs/mutants.md and its continuation list the current mutants, and docs/reliability.md has their number", () => {
  const pages = ["docs/mutants.md", "docs/mutants-governance.md"];
  const page = pages.map((name) => readFileSync(join(ROOT, name), "utf8")).join("\n");
  const rows = [...page.matchAll(/^\| (\S+) \| (\S+) \| (.*?) \| (\S+): /gm)];
  const listed = rows.map(([, name, promise, protects, file]) => ({
    name,
    promise,
    protects,
    runs: MUTANTS.some((mutant) => mutant.name === name && mutant.tests.includes(file ?? "")),
  }));
  const current = MUTANTS.map(({ name, promise, protects }) => ({
    name,
    promise: String(promise),
    protects,
    runs: true,
  }));
  expect(listed).toEqual(current);
  const count = `All ${MUTANTS.length} mutants`;
  expect(page).toContain(count);
  expect(readFileSync(join(ROOT, "docs/reliability.md"), "utf8")).toContain(count);
});
