import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { GUIDE_PATHS, toAnchor } from "../../scripts/guides.ts";

const README_LINES_MAX = 200;
const PAGE_LINES_MAX = 400;

const PAGES = ["README.md", "CONTRIBUTING.md", "examples/README.md", ...globSync("docs/**/*.md")];

interface Link {
  readonly page: string;
  readonly target: string;
}

function readProse(page: string): string {
  return readFileSync(page, "utf8").replaceAll(/^```[^]*?^```/gm, "");
}

/** Links to headings and to files in the repository. */
function localLinks(page: string): Link[] {
  const targets = [...readProse(page).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target,
  );
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => ({ page, target }));
}

function anchors(page: string): string[] {
  return [...readProse(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => toAnchor(heading));
}

function isBroken({ page, target }: Link): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(file)) return true;
  return anchor !== undefined && file.endsWith(".md") && !anchors(file).includes(anchor);
}

it("every link in a document leads to an existing file and heading in the repository", () => {
  const links = PAGES.flatMap(localLinks);
  expect(links.length).toBeGreaterThan(60);
  expect(links.filter(isBroken)).toEqual([]);
});

it("the README has at most 200 lines, and every other page has at most 400", () => {
  const lineCounts = PAGES.map((page) => {
    const lines = readFileSync(page, "utf8").split("\n").length - 1;
    return { page, lines, max: page === "README.md" ? README_LINES_MAX : PAGE_LINES_MAX };
  });
  expect(lineCounts.filter(({ lines, max }) => lines > max)).toEqual([]);
});

it("every guide and every reference page is linked from the README", () => {
  const linked = new Set(localLinks("README.md").map(({ target }) => target));
  const pages = globSync("docs/{guides,reference}/*.md");
  expect(pages.filter((page) => !linked.has(page))).toEqual([]);
});

it("every guide and every reference page is served under its own name", () => {
  const pages = globSync("docs/{guides,reference}/*.md").map((page) => page.slice(5, -3));
  expect(pages.filter((page) => !GUIDE_PATHS.includes(page))).toEqual([]);
  expect(new Set(GUIDE_PATHS.map((path) => basename(path))).size).toBe(GUIDE_PATHS.length);
});

it("the data model lists every table, class and binding", () => {
  const page = readFileSync("docs/data-model.md", "utf8");
  const sources = globSync("src/**/*.ts").map((file) => readFileSync(file, "utf8"));
  const names = [
    ...sources.flatMap((text) =>
      [...text.matchAll(/sqliteTable\(\s*"(\w+)"|CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(
        ([, table, objectTable]) => table ?? objectTable ?? "",
      ),
    ),
    ...[...readFileSync("wrangler.toml", "utf8").matchAll(/^(?:name|class_name) = "(\w+)"/gm)].map(
      ([, name = ""]) => name,
    ),
  ].filter((name) => name !== "bosun");
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
