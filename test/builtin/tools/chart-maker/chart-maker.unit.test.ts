import { XMLParser } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { PENGUINS } from "../../../support/penguins.ts";
import { chartMaker } from "../../../../src/builtin/tools/chart-maker/definition.ts";
import { chartMakerHandlers } from "../../../../src/builtin/tools/chart-maker/handlers.ts";
import { draw, problems, run, safe } from "./draw-safely.ts";

const PARSER = new XMLParser({ parseTagValue: false, trimValues: false });

/** The text elements in the drawing, in reading order. */
function texts(svg: string): string[] {
  return Array.from(svg.matchAll(/<text[^>]*>[^<]*<\/text>/g), ([text]) =>
    String(PARSER.parse(text).text),
  );
}

/** The heights of the bars in pixels, from left to right. */
function barHeights(svg: string): number[] {
  return Array.from(
    svg.matchAll(/<path d="M\S+ \S+l\S+ 0l0 (-?[\d.]+)l\S+ 0Z" fill="#0072B2"/g),
    (bar) => -Number(bar[1]),
  );
}

function rows(count: number, row: (index: number) => JsonObject): JsonObject[] {
  return Array.from({ length: count }, (_, index) => row(index));
}

describe("definition", () => {
  it("the definition lists exactly the capabilities that have handlers", () => {
    expect(chartMaker.capabilities.map(({ id }) => id)).toEqual(Object.keys(chartMakerHandlers));
  });
});

describe("bar", () => {
  it("a bar chart draws the means of repeated labels, the highest first", async () => {
    const parameters = { data: PENGUINS, x: "Species", y: "Body Mass (g)" };
    const { svg, points, width, height, notes } = await draw("bar", parameters);
    expect([points, width, height]).toEqual([3, 720, 440]);
    const written = texts(svg);
    expect(written.filter((text) => /^[A-Z][a-z]+$/.test(text))).toEqual([
      "Species",
      "Gentoo",
      "Chinstrap",
      "Adelie",
    ]);
    expect(written).toEqual(expect.arrayContaining(["5076", "3733", "3701"]));
    expect(written).toContain("Mean of Body Mass (g)");
    const [gentoo = 0, chinstrap = 0, adelie = 0] = barHeights(svg);
    expect(gentoo / chinstrap).toBeCloseTo(5076.016 / 3733.088, 2);
    expect(gentoo / adelie).toBeCloseTo(5076.016 / 3700.662, 2);
    expect(notes).toEqual([
      'Omitted 2 rows without "Species" or "Body Mass (g)".',
      "Some labels repeat, so each bar shows the mean of all rows with its label.",
    ]);
  });

  it("a bar chart can draw sums and counts", async () => {
    const csv = "kind,n\na,1\na,2\nb,5\n";
    const { svg: sums } = await draw("bar", { csv, x: "kind", y: "n", aggregate: "sum" });
    expect(texts(sums)).toContain("Sum of n by kind");
    expect(barHeights(sums)[1]).toBeCloseTo(((barHeights(sums)[0] ?? 0) * 3) / 5, 0);
    const { svg: counts } = await draw("bar", { csv, x: "kind" });
    expect(texts(counts)).toContain("Rows by kind");
    expect(barHeights(counts)[1]).toBeCloseTo((barHeights(counts)[0] ?? 0) / 2, 0);
  });

  it("a bar chart keeps numeric labels in ascending order", async () => {
    const data = [2021, 2019, 2020].map((year, index) => ({ year, n: index }));
    const { svg } = await draw("bar", { data, x: "year", y: "n" });
    expect(texts(svg).filter((text) => text.startsWith("20"))).toEqual(["2019", "2020", "2021"]);
  });

  it("a bar chart of more than thirty labels combines the smallest ones into one bar", async () => {
    const data = rows(100, (n) => ({ label: `l${n}`, n }));
    const parameters = { data, x: "label", y: "n", aggregate: "sum" };
    const { svg, points, notes } = await draw("bar", parameters);
    expect(points).toBe(30);
    const written = texts(svg);
    expect(written).toEqual(expect.arrayContaining(["l99", "l71", "other (71)", "2485"])); // 0 + … + 70
    expect(written).not.toContain("l70");
    expect(notes).toEqual([
      'The 71 smallest bars are combined into "other (71)", which shows the sum of their rows.',
    ]);
  });

  it("a bar chart truncates long labels", async () => {
    const data = rows(6, (n) => ({ label: `${"A label that never ends ".repeat(20)}${n}`, n }));
    const { svg } = await draw("bar", { data, x: "label", y: "n" });
    const labels = texts(svg).filter((text) => text.startsWith("A label"));
    expect(labels).toEqual(Array.from({ length: 6 }, () => "A label that never ends A l…"));
  });

  it("a bar chart has a text description for screen readers", async () => {
    const { svg } = await draw("bar", { data: PENGUINS, x: "Island", title: 'On "islands"' });
    const description =
      "Bar chart. On &quot;islands&quot;. 3 bars; highest: Biscoe, 168; lowest: Torgersen, 52.";
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-label="/);
    expect(svg).toContain(`aria-label="${description}"`);
    expect(svg).toContain(`<title>${description}</title>`);
  });

  it("a bar chart reports all problems with its parameters at once", async () => {
    const data = [{ x: "a", y: "b" }];
    const parameters = { data, x: "z", y: "y", aggregate: "median", title: "t".repeat(201) };
    expect(await problems("bar", parameters)).toEqual([
      { path: "x", message: 'must be a column of the table ("x", "y"), got "z"' },
      { path: "y", message: 'must be a column of numbers, but "y" contains text' },
      { path: "title", message: "must have at most 200 characters, got 201" },
      { path: "aggregate", message: 'must be "mean", "sum" or "count", got "median"' },
    ]);
    expect(await problems("bar", { x: "x", aggregate: "sum" })).toEqual([
      { path: "csv", message: expect.stringContaining("send either csv or data") },
      { path: "aggregate", message: 'must be "count" if y is omitted; add y to use "sum"' },
    ]);
  });
});

describe("line", () => {
  it("a line chart draws dates in ascending order and the mean of repeated ones", async () => {
    const csv = "day,n\n2024-03-01,9\n2024-01-01,1\n2024-02-01,4\n2024-02-01,6\n,3\n";
    const { svg, points, notes } = await draw("line", { csv, x: "day", y: "n" });
    expect(points).toBe(3);
    expect(notes).toEqual([
      'Omitted 1 row without "day" or "n".',
      "Some x values repeat, so each point shows the mean of all rows with its x value.",
    ]);
    const [, line = ""] = /d="(M[^"]*)" fill="none" stroke="#0072B2"/.exec(svg) ?? [];
    const places = line.match(/[ML][^ML]*/g)?.map((place) => place.slice(1).split(" ").map(Number));
    const [first, second, third] = places ?? [];
    // The values 1, 5 and 9 are evenly spaced vertically; the dates are 31 and 29 days apart.
    expect((first?.[1] ?? 0) - (second?.[1] ?? 0)).toBeCloseTo(
      (second?.[1] ?? 0) - (third?.[1] ?? 0),
      0,
    );
    const [january, february] = [
      (second?.[0] ?? 0) - (first?.[0] ?? 0),
      (third?.[0] ?? 0) - (second?.[0] ?? 0),
    ];
    expect(january / february).toBeCloseTo(31 / 29, 2);
  });

  it("a line chart keeps text values in row order", async () => {
    const data = ["Mon", "Tue", "Wed", "Apr"].map((day, n) => ({ day, n }));
    const { svg } = await draw("line", { data, x: "day", y: "n" });
    expect(texts(svg).filter((text) => /^[A-Z]..$/.test(text))).toEqual([
      "Mon",
      "Tue",
      "Wed",
      "Apr",
    ]);
  });

  it("a line chart thins twenty thousand points, with a note", async () => {
    const data = rows(20_000, (n) => ({ n, wave: Math.sin(n / 1_000) }));
    const { svg, points, notes } = await draw("line", { data, x: "n", y: "wave" });
    expect(points).toBe(20_000);
    expect(notes).toEqual([expect.stringContaining("largest-triangle-three-buckets")]);
    expect(svg.length).toBeLessThan(40_000);
  });
});

describe("scatter", () => {
  it("a scatter chart draws a dot for each row, coloured by a column", async () => {
    const x = "Flipper Length (mm)";
    const parameters = { data: PENGUINS, x, y: "Body Mass (g)", colour: "Species" };
    const { svg, points } = await draw("scatter", parameters);
    expect(points).toBe(342);
    const coloured = (colour: string) => svg.split(`fill="${colour}"`).length - 1;
    // The legend uses each colour once more.
    expect([coloured("#0072B2"), coloured("#D55E00"), coloured("#009E73")]).toEqual([152, 69, 124]);
    const written = texts(svg);
    expect(written).toEqual(expect.arrayContaining(["Adelie", "Chinstrap", "Gentoo", x]));
  });

  it("a scatter chart labels the rarest colour values as 'other' and missing ones as 'missing'", async () => {
    const data = rows(90, (n) => ({ x: n, y: n, kind: n % 10 === 9 ? null : `k${n % 10}` }));
    const { svg, notes } = await draw("scatter", { data, x: "x", y: "y", colour: "kind" });
    expect(notes).toEqual(['The 3 rarest values of "kind" are combined into "other (3)".']);
    expect(texts(svg)).toEqual(expect.arrayContaining(["k0", "k5", "other (3)", "missing"]));
  });

  it("truncated labels stay distinct in the legend of a scatter chart", async () => {
    const data = rows(20, (n) => ({ x: n, y: n, kind: `a very long name of a kind ${n % 3}` }));
    const { svg } = await draw("scatter", { data, x: "x", y: "y", colour: "kind" });
    const legend = texts(svg).filter((text) => text.startsWith("a very long"));
    expect(new Set(legend).size).toBe(3);
  });

  it("a scatter chart samples a large table evenly, with a note", async () => {
    const data = rows(20_000, (n) => ({ x: n, y: (n * 7_919) % 20_011 }));
    const { points, notes } = await draw("scatter", { data, x: "x", y: "y" });
    expect(points).toBe(2_000);
    expect(notes).toEqual(["Only 2,000 of 20,000 rows were drawn, evenly spaced over the table."]);
  });

  it("a scatter chart rejects a measure as its colour, and a table without a complete row", async () => {
    const data = rows(20, (n) => ({ x: n, y: n }));
    expect(await problems("scatter", { data, x: "x", y: "y", colour: "y" })).toEqual([
      { path: "colour", message: "must be a text column or have at most 12 distinct numbers" },
    ]);
    expect(await problems("scatter", { csv: "a,b\n1,\n,2\n", x: "a", y: "b" })).toEqual([
      { path: "x", message: 'must have at least one row with "a" and "b"' },
    ]);
  });
});

describe("histogram", () => {
  it("a histogram chooses bins with round edges by the Freedman-Diaconis rule", async () => {
    const parameters = { data: PENGUINS, column: "Body Mass (g)" };
    const { svg, points, bins, rule, notes } = await draw("histogram", parameters);
    // 2 * 1200 / 342^(1/3) = 343 g suggests 11 bins from 2700 to 6300; the nearest round width is 500.
    expect(rule).toBe("Freedman–Diaconis");
    const masses = PENGUINS.map((row) => Object(row)["Body Mass (g)"]).filter(
      (mass) => mass !== null,
    );
    expect(bins).toEqual(
      Array.from({ length: 8 }, (_, index) => {
        const [from, to] = [2_500 + index * 500, 3_000 + index * 500];
        return { from, to, count: masses.filter((mass) => mass >= from && mass < to).length };
      }),
    );
    expect(points).toBe(342);
    expect(svg.match(/<path[^>]*fill="#0072B2"/g)).toHaveLength(8);
    expect(notes).toEqual(['Omitted 2 rows without "Body Mass (g)".']);
  });

  it("a histogram has exactly the requested number of bins, and the last bin includes its upper edge", async () => {
    const data = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10].map((n) => ({ n }));
    const { bins, rule } = await draw("histogram", { data, column: "n", bins: 4 });
    expect(rule).toBe("as asked");
    expect(bins).toEqual([
      { from: 0, to: 2.5, count: 3 },
      { from: 2.5, to: 5, count: 2 },
      { from: 5, to: 7.5, count: 3 },
      { from: 7.5, to: 10, count: 2 },
    ]);
  });

  it("a histogram uses Sturges' rule if the quartiles coincide, and one bin for equal values", async () => {
    const data = rows(100, (n) => ({ n: n === 0 ? 50.5 : 1.5 }));
    const { rule, bins } = await draw("histogram", { data, column: "n" });
    expect(rule).toBe("Sturges");
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(100);
    const equal = await draw("histogram", { csv: "n\n7\n7\n7\n", column: "n", bins: 9 });
    expect(equal.bins).toEqual([{ from: 6.5, to: 7.5, count: 3 }]);
    expect(equal.notes).toEqual([
      "The values are too close together for the requested number of bins.",
    ]);
  });

  it("a histogram of six different whole numbers has one bin for each", async () => {
    const data = rows(5_000, (n) => ({ n: n % 6 }));
    const { bins } = await draw("histogram", { data, column: "n" });
    expect(bins).toHaveLength(6);
    for (const { from, to } of bins) expect(to - from).toBe(1);
  });

  it("a histogram distinguishes bin edges that agree in their first four digits", async () => {
    const data = rows(11, (n) => ({ n: 1_000_000 + n / 10 }));
    const { bins } = await draw("histogram", { data, column: "n", bins: 2 });
    expect(bins.map(({ to }) => to)).toEqual([1_000_000.5, 1_000_001]);
  });

  it.each([0, 101, 2.5])("a histogram rejects a text column and %d bins together", async (bins) => {
    expect(await problems("histogram", { csv: "n\nx\n", column: "n", bins })).toEqual([
      { path: "column", message: 'must be a column of numbers, but "n" contains text' },
      { path: "bins", message: `must be a whole number from 1 to 100, got ${bins}` },
    ]);
  });
});

describe("every chart", () => {
  const HOSTILE = [
    "<script>alert(1)</script>",
    `"]]></title><script>`,
    `' onload='alert(1)`,
    `" onload="alert(1)`,
    "&lt;&amp;&#x41;",
    "<![CDATA[",
    "{a|b} {value}",
    "url(#zr0-c0)",
    "a\u0000b\u001b[31m\ufffe",
    "\u202etxt.exe",
    "line\nbreak\ttab",
    "👩‍👩‍👧‍👦 汉字 שלום",
  ];

  it("every chart escapes labels, names and titles", async () => {
    for (const text of HOSTILE) {
      const data = [
        { [text]: `1${text}`, n: 1, y: 2 },
        { [text]: `2${text}`, n: 3, y: 4 },
      ];
      const bar = await draw("bar", { data, x: text, y: "n", title: text });
      const line = await draw("line", { data, x: text, y: "n", title: text });
      const scatter = await draw("scatter", { data, x: "n", y: "y", colour: text, title: text });
      const named = [{ [text]: 1 }, { [text]: 3 }];
      const histogram = await draw("histogram", { data: named, column: text });
      for (const { svg } of [bar, line, scatter, histogram]) expect(svg).not.toContain("<script");
    }
    const data = [{ "<b>&": "<i>", n: 1 }];
    const { svg } = await draw("bar", { data, x: "<b>&", y: "n" });
    expect(texts(svg)).toEqual(expect.arrayContaining(["<b>&", "<i>", "n by <b>&"]));
  });

  it("the same input produces the same SVG", async () => {
    const parameters = { data: PENGUINS, x: "Flipper Length (mm)", y: "Body Mass (g)" };
    for (const [capability, extra] of [
      ["scatter", { colour: "Species" }],
      ["line", {}],
      ["bar", { x: "Island" }],
    ] as const) {
      const [one, other] = [
        await draw(capability, { ...parameters, ...extra }),
        await draw(capability, { ...parameters, ...extra }),
      ];
      expect(other.svg).toBe(one.svg);
    }
  });

  it.each(["bar", "line"])(
    "numbers of any size are drawn or rejected in a %s chart",
    async (capability) => {
      for (let exponent = -320; exponent <= 300; exponent += 5) {
        const size = Number(`1e${exponent}`);
        const data = rows(5, (n) => ({ label: `l${n}`, n: (n - 2) * size }));
        const found = await run(capability, { data, x: "label", y: "n" });
        const seen = found.ok ? safe(found.value).width : found.failure[0]?.path;
        expect(seen).toBe(found.ok ? 720 : "y");
        expect(found.ok).toBe(exponent >= -15 && exponent <= 95);
      }
    },
  );
});

describe("names that every object inherits", () => {
  const names = Object.getOwnPropertyNames(Object.prototype);

  it.each(names)(
    "the name %s can be a column, a label and a colour, and does not change Object.prototype",
    async (name) => {
      const text = (word: string) =>
        Object.fromEntries([
          [name, 1.5],
          ["label", word],
          ["y", 2],
        ]);
      const data = [text(name), text(`a ${name} b`), text("other"), text("last")];
      for (const [capability, parameters] of [
        ["histogram", { data, column: name }],
        ["bar", { data, x: "label", y: name, title: name }],
        ["line", { data, x: "label", y: name }],
        ["scatter", { data, x: name, y: "y", colour: "label" }],
      ] as const) {
        const drawn = await chartMakerHandlers[capability]?.(parameters);
        expect(drawn?.ok, `${capability}: ${JSON.stringify(drawn)}`).toBe(true);
      }
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
    },
  );
});
