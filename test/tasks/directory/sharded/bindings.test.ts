import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  getDirectoryDatabase,
  listDirectoryDatabases,
  readShardRange,
} from "../../../../src/platform/d1/client.ts";

const { DB, SHARD_1, SHARD_2 } = env;

describe("the directory's databases", () => {
  it("the directory's databases are all the bound ones, in order", () => {
    expect(listDirectoryDatabases({ DB })).toEqual([DB]);
    expect(listDirectoryDatabases({ DB, DIRECTORY_2: SHARD_2, DIRECTORY_1: SHARD_1 })).toEqual([
      DB,
      SHARD_1,
      SHARD_2,
    ]);
  });

  it("a gap in the bound databases is rejected", () => {
    expect(() => listDirectoryDatabases({ DB, DIRECTORY_2: SHARD_2 })).toThrow(
      "DIRECTORY_2 is bound, but the D1 database DIRECTORY_1 is not bound",
    );
  });

  it("looking up a database that is not bound throws an error", () => {
    expect(getDirectoryDatabase([DB, SHARD_1], 1)).toBe(SHARD_1);
    expect(() => getDirectoryDatabase([DB, SHARD_1], 2)).toThrow(
      "A task is in shard 2 of the directory, but the D1 database DIRECTORY_2 is not bound",
    );
  });
});

describe("DIRECTORY_SHARDS and DIRECTORY_FULL", () => {
  const bound = { DB, DIRECTORY_1: SHARD_1, DIRECTORY_FULL: "0" };

  it("DIRECTORY_SHARDS and DIRECTORY_FULL define which databases get new tasks", () => {
    const spread = (DIRECTORY_SHARDS: string, DIRECTORY_FULL: string) =>
      readShardRange({ ...bound, DIRECTORY_SHARDS, DIRECTORY_FULL });
    expect(spread("1", "0")).toEqual({ first: 0, count: 1 });
    expect(spread("2", "0")).toEqual({ first: 0, count: 2 });
    expect(spread("2", "1")).toEqual({ first: 1, count: 1 });
  });

  it.each(["0", "-1", "1.5", "17", "", "many", "NaN", "Infinity"])(
    "the value %j of DIRECTORY_SHARDS is rejected",
    (value) => {
      expect(() => readShardRange({ ...bound, DIRECTORY_SHARDS: value })).toThrow(
        `DIRECTORY_SHARDS must be a whole number from 1 to 16, got ${JSON.stringify(value)}`,
      );
    },
  );

  it.each(["2", "-1", "0.5", "", "none"])(
    "the value %j of DIRECTORY_FULL is rejected with two databases",
    (value) => {
      const asked = { ...bound, DIRECTORY_SHARDS: "2", DIRECTORY_FULL: value };
      expect(() => readShardRange(asked)).toThrow(
        `DIRECTORY_FULL must be a whole number from 0 to 1, got ${JSON.stringify(value)}`,
      );
    },
  );

  it("DIRECTORY_SHARDS without enough bindings is rejected, and the error names the first missing one", () => {
    expect(() => readShardRange({ ...bound, DIRECTORY_SHARDS: "3" })).toThrow(
      "DIRECTORY_SHARDS is 3, but the D1 database DIRECTORY_2 is not bound",
    );
  });
});
