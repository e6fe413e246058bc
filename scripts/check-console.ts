// npm run check:console: checks the size of the console's scripts and styles, as a browser downloads them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const KIB = 1_024;
/** The limits in bytes after gzip. */
const FIRST_VIEW_SCRIPTS_MAX = 190 * KIB;
const STYLES_MAX = 25 * KIB;
const VIEW_MAX = 25 * KIB;

const CONSOLE = join(import.meta.dirname, "../dist/assets/console");
const ASSETS = join(CONSOLE, "assets");
const page = readFileSync(join(CONSOLE, "index.html"), "utf8");

const names = readdirSync(ASSETS);
const scripts = names.filter((name) => name.endsWith(".js"));
const first = scripts.filter((name) => page.includes(`/console/assets/${name}`));
const styles = names.filter((name) => name.endsWith(".css"));
if (first.length === 0) throw new Error("The page of the console loads no script");

const problems: string[] = [];
const sizes = new Map(
  names.map((name) => [name, gzipSync(readFileSync(join(ASSETS, name))).length]),
);
check("the scripts of the first view", first, FIRST_VIEW_SCRIPTS_MAX);
check("the styles", styles, STYLES_MAX);
for (const name of scripts)
  if (name.includes("-view-") && !first.includes(name)) check(name, filesOf(name), VIEW_MAX);
console.log(
  `console: ${format(first)} of scripts and ${format(styles)} of styles in the first view`,
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** A view's scripts: its own and those that it imports at once, except for those of the first view. */
function filesOf(view: string): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name) || first.includes(name)) return;
    found.add(name);
    const source = readFileSync(join(ASSETS, name), "utf8");
    for (const [, imported = ""] of source.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
      add(imported);
  };
  add(view);
  return [...found];
}

function check(what: string, files: readonly string[], limit: number): void {
  if (bytesOf(files) > limit)
    problems.push(`${what}: ${format(files)} gzip, but at most ${limit / KIB} KiB are allowed`);
}

function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
}

function format(files: readonly string[]): string {
  return `${(bytesOf(files) / KIB).toFixed(1)} KiB`;
}
