import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The slowest test files and folders, in the order in which they should run. Vitest orders new
 * files by size, which does not predict their duration.
 */
const LONGEST = [
  "/test/tasks/model/properties/",
  "/test/fault-injection/bindings",
  "/test/fuzz/openapi/",
  "/test/fault-injection/",
  "/test/fuzz/",
  "/test/authorization/",
  "/test/e2e/deployed/openapi-client",
  "/test/browser/console/tasks",
  "/test/browser/console",
  "/test/e2e/deployed/worker-processes",
  "/test/e2e/deployed/chaos-checkers",
  "/test/e2e/deployed/worker-example",
  "/test/browser",
];

/** Runs each project's slowest files first, so no worker is left with a slow file at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is the sequencer's own method
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.values()].flatMap((same) =>
      same.toSorted((one, other) => rankOf(one) - rankOf(other)),
    );
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((part) => moduleId.includes(part));
  return rank === -1 ? LONGEST.length : rank;
}
