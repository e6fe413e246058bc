import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { draw, run, safe } from "./draw-safely.ts";

// A run takes seconds; a busy machine may take several times as long.
vi.setConfig({ testTimeout: 20_000 });

it("any table is drawn or rejected with a problem", async () => {
  const cell = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom("a", "b", "", null, true, "2024-01-01", "0001-01-01", "9999-12-31T23:59:59Z"),
    fc.string({ unit: "binary" }),
  );
  const oneKind = fc.oneof(
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 30,
    }),
    fc
      .array(fc.date({ noInvalidDate: true, min: new Date(0) }), { minLength: 1, maxLength: 30 })
      .map((dates) => dates.map((date) => date.toISOString())),
    fc.array(cell, { minLength: 1, maxLength: 40 }),
  );
  await fc.assert(
    fc.asyncProperty(oneKind, oneKind, oneKind, async (xs, ys, kinds) => {
      const data = xs.map((x, row) => ({ x, y: ys[row] ?? null, kind: kinds[row] ?? null }));
      for (const [capability, parameters] of [
        ["bar", { data, x: "x", y: "y" }],
        ["line", { data, x: "x", y: "y" }],
        ["scatter", { data, x: "x", y: "y", colour: "kind" }],
        ["histogram", { data, column: "y" }],
      ] as const) {
        const found = await run(capability, parameters);
        const answers = found.ok ? safe(found.value).points : found.failure.length;
        expect(answers).toBeGreaterThan(0);
      }
    }),
    { numRuns: 150, seed: 20_240_601 },
  );
});

it("a table of ninety thousand rows is drawn", async () => {
  const csv = `x,y\n${Array.from({ length: 90_000 }, (_, n) => `${n},${n % 100}`).join("\n")}`;
  const drawn = [
    await draw("bar", { csv, x: "x", y: "y" }),
    await draw("line", { csv, x: "x", y: "y" }),
    await draw("scatter", { csv, x: "x", y: "y" }),
    await draw("histogram", { csv, column: "x" }),
  ];
  expect(drawn.map(({ points }) => points)).toEqual([30, 90_000, 2_000, 90_000]);
});
