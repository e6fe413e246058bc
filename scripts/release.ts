// npm run release: checks that the current commit can be released, runs .ci/run, and creates a tag with the newest
// section of CHANGELOG.md. It does not push anything.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { SERVICE_INFO } from "../src/kernel/service-info.ts";

/** The state of the repository that determines whether a commit can be released. */
export interface Repository {
  readonly branch: string;
  /** The output of `git status --porcelain`. */
  readonly changes: string;
  readonly tags: readonly string[];
  readonly packageVersion: string;
  readonly serviceVersion: string;
  readonly changelog: string;
}

/** The version, date and text of the newest release in the changelog; null if there is none. */
export function readNewestRelease(
  changelog: string,
): { version: string; date: string; notes: string } | null {
  const found = /^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)\n([^]*)/m.exec(changelog);
  const [, version = "", date = "", rest = ""] = found ?? [];
  if (found === null) return null;
  return { version, date, notes: rest.split(/^## /m, 1)[0]?.trim() ?? "" };
}

/** Lists the problems that prevent a release. */
export function releaseProblems(repository: Repository): string[] {
  const { branch, changes, tags, packageVersion, serviceVersion, changelog } = repository;
  const newest = readNewestRelease(changelog);
  const problems: string[] = [];
  if (branch !== "main")
    problems.push(`Releases are made on main, not on ${branch}. Switch to main.`);
  if (changes !== "") problems.push("There are uncommitted changes. Commit or stash them.");
  if (newest === null || /^## (?!\d)/m.test(changelog)) {
    problems.push('The first section of CHANGELOG.md must be "## <version> - <YYYY-MM-DD>".');
  } else if (newest.version !== packageVersion) {
    problems.push(
      `CHANGELOG.md describes ${newest.version}, but package.json has ${packageVersion}. Use the same version in both.`,
    );
  }
  if (serviceVersion !== packageVersion) {
    problems.push(
      `src/kernel/service-info.ts has ${serviceVersion}, but package.json has ${packageVersion}. Use the same version in both.`,
    );
  }
  if (tags.includes(`v${packageVersion}`)) {
    problems.push(`The tag v${packageVersion} already exists. Increase the version.`);
  }
  return problems;
}

function git(...args: readonly string[]): string {
  const run = spawnSync("git", args, { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`git ${args.join(" ")}: ${run.stderr}`);
  return run.stdout.trim();
}

function release(): number {
  const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  const problems = releaseProblems({
    branch: git("branch", "--show-current"),
    changes: git("status", "--porcelain"),
    tags: git("tag").split("\n"),
    packageVersion: version,
    serviceVersion: SERVICE_INFO.version,
    changelog,
  });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  const commit = git("rev-parse", "HEAD");
  if (spawnSync("bash", [".ci/run"], { stdio: "inherit" }).status !== 0) {
    console.error("\n.ci/run failed, so nothing was tagged.");
    return 1;
  }
  if (git("rev-parse", "HEAD") !== commit || git("status", "--porcelain") !== "") {
    console.error(
      "\nThe repository changed during .ci/run, so nothing was tagged. Run npm run release again.",
    );
    return 1;
  }
  const notes = readNewestRelease(changelog)?.notes ?? "";
  git(
    "tag",
    "--annotate",
    `v${version}`,
    "--cleanup=verbatim",
    "--message",
    `Bosun ${version}\n\n${notes}`,
  );
  console.log(`\nTagged v${version}. Publish it with: git push --atomic origin main v${version}`);
  return 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = release();
