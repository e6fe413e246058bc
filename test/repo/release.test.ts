import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readNewestRelease, releaseProblems, type Repository } from "../../scripts/release.ts";
import { SERVICE_INFO } from "../../src/kernel/service-info.ts";

const READY: Repository = {
  branch: "main",
  changes: "",
  tags: ["v1.2.2"],
  packageVersion: "1.2.3",
  serviceVersion: "1.2.3",
  changelog: "# Changelog\n\n## 1.2.3 - 2030-01-31\n\n- New.\n\n## 1.2.2 - 2030-01-01\n\n- Old.\n",
};

it("a clean commit on main whose version has a dated section can be released", () => {
  expect(releaseProblems(READY)).toEqual([]);
});

it.each([
  ["another branch", { branch: "topic" }, "not on topic"],
  ["uncommitted changes", { changes: " M README.md" }, "uncommitted"],
  ["an existing tag", { tags: ["v1.2.3"] }, "The tag v1.2.3 already exists"],
  [
    "a changelog for another version",
    { packageVersion: "1.2.4", serviceVersion: "1.2.4" },
    "describes 1.2.3",
  ],
  [
    "a service that states another version",
    { serviceVersion: "1.2.2" },
    "service-info.ts has 1.2.2",
  ],
  [
    "an undated section",
    { changelog: "## Unreleased\n\n## 1.2.3 - 2030-01-31\n" },
    "first section",
  ],
])("a commit with %s cannot be released", (_, change, problem) => {
  expect(releaseProblems({ ...READY, ...change })).toEqual([expect.stringContaining(problem)]);
});

it("a release's notes are its own section", () => {
  expect(readNewestRelease(READY.changelog)).toEqual({
    version: "1.2.3",
    date: "2030-01-31",
    notes: "- New.",
  });
});

it("changes for the next release can be described above the newest release", () => {
  const changelog = `# Changelog\n\n## Unreleased\n\n- Next.\n\n${READY.changelog.slice(13)}`;
  expect(readNewestRelease(changelog)?.version).toBe("1.2.3");
  expect(releaseProblems({ ...READY, changelog })).toEqual([
    expect.stringContaining("first section"),
  ]);
});

it("the changelog, the package and the service state the same version", () => {
  const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(readNewestRelease(readFileSync("CHANGELOG.md", "utf8"))?.version).toBe(version);
  expect(SERVICE_INFO.version).toBe(version);
});
