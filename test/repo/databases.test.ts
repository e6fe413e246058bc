import { describe, expect, it } from "vitest";
import { boundDatabases, databaseProblem } from "../../scripts/databases.ts";

const ID = "6d1f3a52-0c4e-4b19-9a77-2f8e5c0d1b36";
const PLACEHOLDER = "00000000-0000-0000-0000-000000000000";
const of = (...bindings: readonly string[]) => bindings.map((binding) => ({ binding, id: ID }));

describe("the databases of a deployment", () => {
  it("wrangler.toml binds one database and has one shard", () => {
    const { bound, shards } = boundDatabases();
    expect(bound.map(({ binding }) => binding)).toEqual(["DB"]);
    expect(shards).toBe(1);
  });

  it("a deployment can have more databases than shards", () => {
    expect(databaseProblem({ bound: of("DB"), shards: 1 })).toBeNull();
    expect(databaseProblem({ bound: of("DB", "DIRECTORY_1"), shards: 1 })).toBeNull();
    expect(databaseProblem({ bound: of("DIRECTORY_1", "DB"), shards: 2 })).toBeNull();
  });

  it.each([
    ["DB", "bosun", PLACEHOLDER],
    ["DIRECTORY_1", "bosun-directory-1", PLACEHOLDER],
    ["DIRECTORY_1", "bosun-directory-1", "what `wrangler d1 create` prints"],
    ["DIRECTORY_1", "bosun-directory-1", ""],
  ])(
    "the error for a missing id of %s contains the command that creates %s",
    (binding, name, id) => {
      const others = of("DB", "DIRECTORY_1").filter((one) => one.binding !== binding);
      const problem = databaseProblem({ bound: [...others, { binding, id }], shards: 1 });
      expect(problem).toContain(`no database_id for ${binding}`);
      expect(problem).toContain(`\`npx wrangler d1 create ${name}\``);
    },
  );

  it("a deployment needs as many databases as shards", () => {
    const problem = databaseProblem({ bound: of("DB", "DIRECTORY_1"), shards: 3 });
    expect(problem).toContain("has no database binding DIRECTORY_2");
  });
});
