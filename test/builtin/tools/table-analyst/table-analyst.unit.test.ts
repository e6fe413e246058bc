import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { PENGUINS } from "../../../support/penguins.ts";
import { tableAnalyst } from "../../../../src/builtin/tools/table-analyst/definition.ts";
import { tableAnalystHandlers } from "../../../../src/builtin/tools/table-analyst/handlers.ts";
import { answer, itemWith, problems } from "../results.ts";

// Palmer penguins, 344 rows. The expected figures were computed with Python's statistics module
// (mean, median, stdev, quantiles(n=4, method="inclusive"), correlation, linear_regression), omitting
// nulls column by column and pair by pair, and rounded to four digits.

// Anscombe's first quartet (1973): r 0.816, line 3.00 + 0.500 x, R² 0.67.
const ANSCOMBE =
  "x,y\n10,8.04\n8,6.95\n13,7.58\n9,8.81\n11,8.33\n14,9.96\n6,7.24\n4,4.26\n12,10.84\n7,4.82\n5,5.68";

describe("table analyst", () => {
  it("the handlers match the capabilities of the definition", () => {
    expect(Object.keys(tableAnalystHandlers)).toEqual(
      tableAnalyst.capabilities.map(({ id }) => id),
    );
  });

  it("every capability reports problems with the table", async () => {
    for (const capability of Object.keys(tableAnalystHandlers)) {
      const parameters = { data: [[1]], groupBy: "a", column: "a" };
      expect((await problems(tableAnalystHandlers, capability, parameters))[0]?.path).toBe(
        "data[0]",
      );
      expect(
        (await problems(tableAnalystHandlers, capability, { groupBy: "a", column: "a" }))[0]?.path,
      ).toBe("csv");
    }
  });
});

describe("profile", () => {
  it("the figures of the penguin data match Python's", async () => {
    const { rows, columns, notes } = await answer(tableAnalystHandlers, "profile", {
      data: PENGUINS,
    });
    expect([rows, notes]).toEqual([344, []]);
    const common = { type: "number", count: 342, missing: 2 };
    expect(columns).toMatchObject([
      {
        name: "Species",
        type: "text",
        count: 344,
        missing: 0,
        distinct: 3,
        top: [
          { value: "Adelie", count: 152 },
          { value: "Gentoo", count: 124 },
          { value: "Chinstrap", count: 68 },
        ],
      },
      { name: "Island", distinct: 3 },
      {
        ...common,
        name: "Beak Length (mm)",
        distinct: 164,
        min: 32.1,
        max: 59.6,
        mean: 43.92,
        median: 44.45,
        standardDeviation: 5.46,
        q1: 39.23,
        q3: 48.5,
      },
      {
        ...common,
        name: "Beak Depth (mm)",
        mean: 17.15,
        median: 17.3,
        standardDeviation: 1.975,
        q1: 15.6,
        q3: 18.7,
      },
      {
        ...common,
        name: "Flipper Length (mm)",
        mean: 200.9,
        median: 197,
        standardDeviation: 14.06,
      },
      { ...common, name: "Body Mass (g)", mean: 4202, median: 4050, standardDeviation: 802 },
      { name: "Sex", count: 334, missing: 10, distinct: 3 },
    ]);
  });

  it("quartiles are interpolated as in Python's inclusive method", async () => {
    // quantiles([3, 7, 8, 5, 12, 14, 21, 13, 18], n=4, method="inclusive") is [7, 12, 14].
    const { columns } = await answer(tableAnalystHandlers, "profile", {
      csv: "n\n3\n7\n8\n5\n12\n14\n21\n13\n18",
    });
    expect(columns).toMatchObject([
      { q1: 7, median: 12, q3: 14, standardDeviation: 5.995, mean: 11.22 },
    ]);
  });

  it("a profile describes dates, booleans, single values and empty columns", async () => {
    const csv =
      "d,b,n,e\n2024-01-02T00:30:00+01:00,true,5,NA\n2024-01-02,false,NA,\n2024-01-01T23:45:00Z,true,NA,";
    const { columns } = await answer(tableAnalystHandlers, "profile", { csv });
    expect(columns).toEqual([
      {
        name: "d",
        type: "date",
        count: 3,
        missing: 0,
        distinct: 3,
        min: "2024-01-02T00:30:00+01:00",
        max: "2024-01-02",
      },
      {
        name: "b",
        type: "boolean",
        count: 3,
        missing: 0,
        distinct: 2,
        top: [
          { value: true, count: 2 },
          { value: false, count: 1 },
        ],
      },
      {
        name: "n",
        type: "number",
        count: 1,
        missing: 2,
        distinct: 1,
        min: 5,
        max: 5,
        mean: 5,
        median: 5,
        standardDeviation: null,
        q1: 5,
        q3: 5,
      },
      { name: "e", type: "empty", count: 0, missing: 3, distinct: 0 },
    ]);
  });

  it("a profile lists at most five text values per column, with ties in alphabetical order", async () => {
    const { columns } = await answer(tableAnalystHandlers, "profile", {
      csv: "t\nf\ne\nd\nc\nb\na\na",
    });
    expect(itemWith(columns, { name: "t" })["top"]).toEqual([
      { value: "a", count: 2 },
      { value: "b", count: 1 },
      { value: "c", count: 1 },
      { value: "d", count: 1 },
      { value: "e", count: 1 },
    ]);
  });

  it("a profile shows null for a figure that overflows", async () => {
    const { columns } = await answer(tableAnalystHandlers, "profile", {
      csv: "n\n1e308\n1.5e308\n1.7e308",
    });
    expect(columns).toMatchObject([{ mean: null, standardDeviation: null, median: 1.5e308 }]);
  });
});

describe("aggregate", () => {
  it("the penguins' body mass aggregated by species matches Python's figures", async () => {
    const parameters = { data: PENGUINS, groupBy: "Species", column: "Body Mass (g)" };
    expect(await answer(tableAnalystHandlers, "aggregate", parameters)).toEqual({
      groupBy: "Species",
      column: "Body Mass (g)",
      groups: [
        {
          group: "Adelie",
          count: 151,
          sum: 558800,
          mean: 3701,
          median: 3700,
          min: 2850,
          max: 4775,
        },
        {
          group: "Gentoo",
          count: 123,
          sum: 624400,
          mean: 5076,
          median: 5000,
          min: 3950,
          max: 6300,
        },
        {
          group: "Chinstrap",
          count: 68,
          sum: 253900,
          mean: 3733,
          median: 3700,
          min: 2700,
          max: 4800,
        },
      ],
      notes: ['Omitted 2 missing values in "Body Mass (g)".'],
    });
  });

  it("aggregation without a column counts rows, and omits rows without a group", async () => {
    expect(
      await answer(tableAnalystHandlers, "aggregate", { data: PENGUINS, groupBy: "Sex" }),
    ).toEqual({
      groupBy: "Sex",
      groups: [
        { group: "MALE", count: 168 },
        { group: "FEMALE", count: 165 },
        { group: ".", count: 1 },
      ],
      notes: ['Omitted 10 rows without "Sex".'],
    });
  });

  it("a group without values is kept, with a count of 0 and no figures", async () => {
    const csv = "g,n\n1,2\n2,\n1,4";
    const { groups } = await answer(tableAnalystHandlers, "aggregate", {
      csv,
      groupBy: "g",
      column: "n",
    });
    expect(groups).toEqual([
      { group: 1, count: 2, sum: 6, mean: 3, median: 3, min: 2, max: 4 },
      { group: 2, count: 0 },
    ]);
  });

  it("aggregation lists at most a thousand groups and notes how many exist", async () => {
    const csv = `g\n${Array.from({ length: 1500 }, (_, index) => `g${index}`).join("\n")}`;
    const { groups, notes } = await answer(tableAnalystHandlers, "aggregate", {
      csv,
      groupBy: "g",
    });
    expect(groups).toHaveLength(1000);
    expect(notes).toEqual(["Only the 1000 largest of 1500 groups are listed."]);
  });

  it("aggregation reports both an unknown column and a column of an unsuitable type", async () => {
    const parameters = { csv: "a,b\nx,y", groupBy: "c", column: "b" };
    expect(await problems(tableAnalystHandlers, "aggregate", parameters)).toEqual([
      { path: "groupBy", message: 'must be a column of the table ("a", "b"), got "c"' },
      { path: "column", message: 'must be a number column, but "b" is text' },
    ]);
  });
});

describe("correlate", () => {
  it("the correlations of the penguin data match Python's, strongest first", async () => {
    expect(await answer(tableAnalystHandlers, "correlate", { data: PENGUINS })).toEqual({
      method: "pearson",
      pairs: [
        { x: "Flipper Length (mm)", y: "Body Mass (g)", r: 0.8712, n: 342 },
        { x: "Beak Length (mm)", y: "Flipper Length (mm)", r: 0.6562, n: 342 },
        { x: "Beak Length (mm)", y: "Body Mass (g)", r: 0.5951, n: 342 },
        { x: "Beak Depth (mm)", y: "Flipper Length (mm)", r: -0.5839, n: 342 },
        { x: "Beak Depth (mm)", y: "Body Mass (g)", r: -0.4719, n: 342 },
        { x: "Beak Length (mm)", y: "Beak Depth (mm)", r: -0.2351, n: 342 },
      ],
      notes: [],
    });
  });

  it("a correlation uses the rows in which both values are present", async () => {
    const { pairs } = await answer(tableAnalystHandlers, "correlate", {
      csv: "x,y\n1,2\n2,NA\nNA,9\n3,6\n4,8\n",
    });
    expect(pairs).toEqual([{ x: "x", y: "y", r: 1, n: 3 }]);
  });

  it("constant columns and pairs with fewer than three complete rows are omitted, with a note", async () => {
    const csv = "x,constant,few\n1,0.1,\n2,0.1,\n3,0.1,1\n4,0.1,2";
    const { pairs, notes } = await answer(tableAnalystHandlers, "correlate", { csv });
    expect(pairs).toEqual([]);
    expect(notes).toEqual([
      'Omitted because a column is constant or fewer than 3 rows have both values: pairs "x" and "constant", "x" and "few", "constant" and "few".',
    ]);
  });

  it("correlation compares only the first thirty number columns, with a note", async () => {
    const row = (factor: number) =>
      Object.fromEntries(
        Array.from({ length: 31 }, (_, place) => [`c${place}`, factor * place ** 2]),
      );
    const { notes } = await answer(tableAnalystHandlers, "correlate", {
      data: [row(1), row(2), row(4)],
    });
    expect(notes).toContain("Only the first 30 of 31 number columns were compared.");
  });

  it("correlating named columns requires at least two different, known number columns", async () => {
    const csv = "a,b,t\n1,2,x\n2,3,y\n3,5,z";
    const { pairs } = await answer(tableAnalystHandlers, "correlate", { csv, columns: ["b", "a"] });
    expect(pairs).toEqual([{ x: "b", y: "a", r: 0.982, n: 3 }]);
    expect(
      (await problems(tableAnalystHandlers, "correlate", { csv, columns: ["a"] }))[0]?.path,
    ).toBe("columns");
    const wrong = await problems(tableAnalystHandlers, "correlate", {
      csv,
      columns: ["a", "a", "t", 5, "q"],
    });
    expect(wrong.map(({ path }) => path)).toEqual([
      "columns[1]",
      "columns[2]",
      "columns[3]",
      "columns[4]",
    ]);
  });
});

describe("outliers", () => {
  it("a value beyond Tukey's fences is an outlier", async () => {
    // q1 = 11, q3 = 14 by Python's inclusive quantiles, so the fences are 6.5 and 18.5.
    const values = [
      10, 12, 12, 13, 12, 11, 14, 13, 15, 10, 10, 10, 100, 12, 14, 13, 12, 10, 10, 11,
    ];
    const more = [12, 15, 12, 13, 12, 11, 14, 13, 15, 10, 15, 12, 10, 14, 13, 15, 10];
    const csv = `n\n${[...values, ...more].join("\n")}`;
    expect(await answer(tableAnalystHandlers, "outliers", { csv })).toEqual({
      method: "tukey",
      columns: [
        { column: "n", lower: 6.5, upper: 18.5, count: 1, outliers: [{ row: 13, value: 100 }] },
      ],
      notes: [],
    });
  });

  it("the penguins' body mass has no outliers", async () => {
    const { columns } = await answer(tableAnalystHandlers, "outliers", {
      data: PENGUINS,
      column: "Body Mass (g)",
    });
    expect(columns).toEqual([
      { column: "Body Mass (g)", lower: 1750, upper: 6550, count: 0, outliers: [] },
    ]);
  });

  it("the twenty farthest outliers are listed, and all are counted", async () => {
    const csv = `n\n${"1\n2\n3\n4\n".repeat(100)}${Array.from({ length: 30 }, (_, i) => 1000 + i).join("\n")}`;
    const { columns } = await answer(tableAnalystHandlers, "outliers", { csv });
    const found = itemWith(columns, { column: "n" });
    expect(found["count"]).toBe(30);
    expect(found["outliers"]).toHaveLength(20);
    expect(itemWith(found["outliers"], { row: 430 })).toEqual({ row: 430, value: 1029 });
    expect(() => itemWith(found["outliers"], { row: 410 })).toThrow("0 items");
  });

  it("columns with too few values for outliers are noted, and a text column is rejected", async () => {
    const csv = "n,t\n1,a\n,b\n3,c";
    const { columns, notes } = await answer(tableAnalystHandlers, "outliers", { csv });
    expect(columns).toEqual([]);
    expect(notes).toEqual(['Not searched because there are fewer than 4 values: column "n".']);
    expect((await problems(tableAnalystHandlers, "outliers", { csv, column: "t" }))[0]?.path).toBe(
      "column",
    );
  });
});

describe("trend", () => {
  it("the trend fits Anscombe's line", async () => {
    expect(
      await answer(tableAnalystHandlers, "trend", { csv: ANSCOMBE, column: "y", by: "x" }),
    ).toEqual({
      column: "y",
      by: "x",
      n: 11,
      slope: 0.5001,
      intercept: 3,
      r2: 0.6665,
      direction: "rising",
      perUnit: "unit of x",
      first: { at: 4, value: 4.26 },
      last: { at: 14, value: 9.96 },
      notes: ["The intercept is the value of the line at x = 0."],
    });
  });

  it("the figures of the penguin data match Python's", async () => {
    const parameters = { data: PENGUINS, column: "Body Mass (g)", by: "Flipper Length (mm)" };
    expect(await answer(tableAnalystHandlers, "trend", parameters)).toMatchObject({
      n: 342,
      slope: 49.69,
      intercept: -5781,
      r2: 0.759,
      direction: "rising",
    });
  });

  it("a trend over dates counts days from the first date, in any row order", async () => {
    // linear_regression([0, 30, 60, 91, 121], [100, 98, 97, 95, 90])
    const csv =
      "d,v\n2024-05-01,90\n2024-01-01,100\n2024-03-01,97\n2024-01-31,98\n2024-04-01,95\n,1";
    expect(await answer(tableAnalystHandlers, "trend", { csv, column: "v", by: "d" })).toEqual({
      column: "v",
      by: "d",
      n: 5,
      slope: -0.07592,
      intercept: 100.6,
      r2: 0.9123,
      direction: "falling",
      perUnit: "day",
      first: { at: "2024-01-01", value: 100 },
      last: { at: "2024-05-01", value: 90 },
      notes: [
        "The intercept is the value of the line at the first date, 2024-01-01T00:00:00.000Z.",
        "Omitted 1 row with a missing value.",
      ],
    });
  });

  it("a trend by default follows the row numbers, which include rows without a value", async () => {
    const { slope, intercept, first, last } = await answer(tableAnalystHandlers, "trend", {
      csv: "v;w\n;1\n20;1\n;1\n40;1\n50;1",
      column: "v",
    });
    expect({ slope, intercept, first, last }).toEqual({
      slope: 10,
      intercept: 0,
      first: { at: 2, value: 20 },
      last: { at: 5, value: 50 },
    });
  });

  it("a trend is flat if it could be due to chance, if nothing varies, or if there are only two points", async () => {
    const noise = await answer(tableAnalystHandlers, "trend", {
      csv: "v\n1\n3\n2\n1\n3\n2.5",
      column: "v",
    });
    expect(noise["direction"]).toBe("flat");
    expect(
      await answer(tableAnalystHandlers, "trend", { csv: "v\n0.1\n0.1\n0.1\n0.1", column: "v" }),
    ).toMatchObject({
      slope: 0,
      r2: null,
      direction: "flat",
    });
    const two = await answer(tableAnalystHandlers, "trend", { csv: "v\n1\n9", column: "v" });
    expect(two).toMatchObject({ slope: 8, direction: "flat" });
    expect(two["notes"]).toContain("A line fits any two points, so the direction is not tested.");
    const three = await answer(tableAnalystHandlers, "trend", { csv: "v\n1\n2\n3", column: "v" });
    expect(three["direction"]).toBe("rising");
  });

  it("data to which no line can be fitted is rejected", async () => {
    const paths = async (parameters: JsonObject) =>
      (await problems(tableAnalystHandlers, "trend", parameters)).map(({ path }) => path);
    expect(await paths({ csv: "v,t\n1,a\n2,b", column: "t", by: "t" })).toEqual(["column", "by"]);
    expect(await paths({ csv: "v,x\n1,5\n2,5", column: "v", by: "x" })).toEqual(["by"]);
    expect(await paths({ csv: "v\n1", column: "v" })).toEqual(["column"]);
  });
});

describe("size", () => {
  it("a megabyte of numbers is analysed", async () => {
    const row = Array.from({ length: 30 }, (_, index) => (index * 7919) % 97).join(",");
    const names = Array.from({ length: 30 }, (_, index) => `c${index}`).join(",");
    const rows = Array.from({ length: 12_000 }, (_, index) => `${row},${index}`);
    const csv = `${names},i\n${rows.join("\n")}`;
    expect(csv.length).toBeGreaterThan(900_000);
    for (const capability of ["profile", "correlate", "outliers"]) {
      expect(await answer(tableAnalystHandlers, capability, { csv })).toHaveProperty("notes");
    }
    expect(await answer(tableAnalystHandlers, "trend", { csv, column: "i" })).toMatchObject({
      slope: 1,
      r2: 1,
    });
  });
});
