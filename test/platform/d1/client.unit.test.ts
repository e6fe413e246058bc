import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DIRECTORY_SHARDS_MAX } from "../../../src/platform/limits.ts";
import { assignShard } from "../../../src/platform/d1/client.ts";

const TASKS = 20_000;
const UNEVEN_MAX = 0.1;
const COUNTS = Array.from({ length: DIRECTORY_SHARDS_MAX }, (_, place) => place + 1);

/**
 * Random-looking ids, as the platform assigns them; sequential ids; and ids that differ only at the
 * start.
 */
const KINDS: readonly (readonly [kind: string, idOf: (n: number) => string])[] = [
  ["without an order", (n) => createHash("sha256").update(String(n)).digest("hex")],
  ["counted up", (n) => n.toString(16).padStart(64, "0")],
  ["that begin differently", (n) => n.toString(16).padEnd(64, "0")],
];

describe("the shard of a new task", () => {
  it("a task's shard is one of the existing shards, and always the same for an id", () => {
    const id = createHash("sha256").update("a task").digest("hex");
    for (const count of COUNTS) {
      for (const first of [0, 1, 5]) {
        const shard = assignShard(id, { first, count });
        expect(shard).toBe(assignShard(id, { first, count }));
        expect(COUNTS.slice(0, count)).toContain(shard - first + 1);
      }
    }
  });

  it.each(KINDS)("ids %s are spread evenly over any number of shards", (_, idOf) => {
    const ids = Array.from({ length: TASKS }, (__, n) => idOf(n));
    for (const count of COUNTS) {
      const found = new Map<number, number>();
      for (const id of ids) {
        const shard = assignShard(id, { first: 0, count });
        found.set(shard, (found.get(shard) ?? 0) + 1);
      }
      expect(found.size).toBe(count);
      const shares = [...found.values()].map((tasks) => Math.abs((tasks * count) / TASKS - 1));
      expect(Math.max(...shares)).toBeLessThan(UNEVEN_MAX);
    }
  });
});
