import { describe, expect, it } from "vitest";
import { layoutBars, roundUp } from "../../console/src/usage/bar-layout.ts";
import { lastDays, withEmptyDays } from "../../console/src/usage/days.ts";
import { readCsv } from "../../console/src/usage/export-csv.ts";
import { readUsageSearch } from "../../console/src/usage/search.ts";
import { Rng } from "../support/rng.ts";

const NOW = Date.parse("2030-03-02T23:59:00Z");

describe("the search parameters of the usage", () => {
  it("are the same after they were written to the URL and read", () => {
    const search = {
      groupBy: "tool",
      measure: "cost",
      from: "2028-02-29",
      to: "2028-03-01",
      agentId: "data-analyst",
      toolId: "table-analyst",
    };
    expect(readUsageSearch(search)).toEqual(search);
  });

  it("ignore days that do not exist and other invalid values", () => {
    expect(
      readUsageSearch({
        from: "2030-02-29",
        to: "today",
        groupBy: "day",
        measure: 1,
        agentId: " ",
      }),
    ).toEqual({});
  });
});

describe("the days of a report", () => {
  it("end with today and include a leap day", () => {
    expect(lastDays(3, NOW)).toEqual({ from: "2030-02-28", to: "2030-03-02" });
    expect(lastDays(1, Date.parse("2028-02-29T00:00:00Z"))).toEqual({
      from: "2028-02-29",
      to: "2028-02-29",
    });
  });

  it("are complete, in order, and keep the sums of the rows", () => {
    for (let seed = 0; seed < 100; seed += 1) {
      const rng = new Rng(seed);
      const count = rng.between(1, 92);
      const period = lastDays(count, NOW);
      const rows = withEmptyDays([], period)
        .filter(() => rng.oneIn(2))
        .map(({ day }) => ({ day, calls: rng.between(1, 9), failed: 0, cost: rng.below(5) }));
      const days = withEmptyDays(rows, period);
      expect(days).toHaveLength(count);
      expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).toSorted());
      expect(days.filter(({ calls }) => calls > 0)).toEqual(rows);
    }
  });
});

describe("the bars of a chart", () => {
  it("stay inside the chart, do not overlap, and are in proportion", () => {
    const size = { width: 600, height: 140 };
    for (let seed = 0; seed < 20; seed += 1) {
      const rng = new Rng(seed);
      const values = Array.from({ length: rng.between(1, 92) }, () => rng.below(1_000));
      const max = roundUp(Math.max(...values));
      const bars = layoutBars(values, size, max);
      let end = 0;
      for (const [index, { x, y, width, height }] of bars.entries()) {
        const value = values[index] ?? 0;
        expect(x).toBeGreaterThanOrEqual(end);
        end = x + width;
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y + height).toBeCloseTo(size.height);
        if (value === 0) expect(height).toBe(0);
        else expect(height).toBeCloseTo(Math.max(1, (value / max) * size.height));
      }
      expect(end).toBeLessThanOrEqual(size.width);
    }
  });

  it("are scaled to a number that is at least the largest value and less than twice as large", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const value = new Rng(seed).next() * 10 ** ((seed % 9) - 3);
      expect(roundUp(value)).toBeGreaterThanOrEqual(value);
      expect(roundUp(value)).toBeLessThanOrEqual(2 * value);
    }
    expect(roundUp(0)).toBe(1);
  });
});

describe("the export of the usage", () => {
  /** The API's response with a page of rows. `next`: the path of the next page. */
  function page(rows: string, next?: string): Response {
    return new Response(`toolId,calls\r\n${rows}`, {
      headers: {
        "Content-Disposition": 'attachment; filename="usage-2030-01-01-2030-01-31.csv"',
        ...(next !== undefined && { Link: `<http://behind-the-proxy.test${next}>; rel="next"` }),
      },
    });
  }

  it("the export of the usage joins all pages into one file with one header", async () => {
    const pages = new Map([
      ["/agents/usage?format=csv", page('a,1\r\n"b,\r\nc",2\r\n', "/agents/usage?cursor=2")],
      ["/agents/usage?cursor=2", page("", "/agents/usage?cursor=3")],
      ["/agents/usage?cursor=3", page("d,3\r\n")],
    ]);
    const get = async (path: string) => pages.get(path) ?? Response.error();
    expect(await readCsv("/agents/usage?format=csv", get)).toEqual({
      name: "usage-2030-01-01-2030-01-31.csv",
      text: 'toolId,calls\r\na,1\r\n"b,\r\nc",2\r\nd,3\r\n',
    });
  });

  it("the export of the usage fails with the API's message if a page cannot be read", async () => {
    const error = { code: "SERVICE_UNAVAILABLE", message: "The report is incomplete." };
    const get = async (path: string) =>
      path === "/1" ? page("a,1\r\n", "/2") : Response.json({ error }, { status: 503 });
    await expect(readCsv("/1", get)).rejects.toMatchObject({ status: 503, ...error });
    const offline = () => Promise.reject(new TypeError("Failed to fetch"));
    await expect(readCsv("/1", offline)).rejects.toMatchObject({ code: "NO_RESPONSE" });
  });
});
