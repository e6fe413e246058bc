import fc from "fast-check";
import papaparse from "papaparse";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { roundToFourDigits } from "../../../../src/builtin/tools/rounding.ts";
import { detectDelimiter } from "../../../../src/builtin/tools/table/csv.ts";
import { findColumn, readTable, type Table } from "../../../../src/builtin/tools/table/table.ts";

async function table(parameters: JsonObject): Promise<Table> {
  const read = readTable(parameters);
  if (!read.ok) throw new Error(JSON.stringify(read.failure));
  return read.value;
}

async function failure(parameters: JsonObject) {
  const read = readTable(parameters);
  if (read.ok) throw new Error(JSON.stringify(read.value).slice(0, 500));
  return read.failure;
}

async function columnsOf(csv: string) {
  return (await table({ csv })).columns.map(({ name, type, cells }) => [name, type, ...cells]);
}

describe("figures", () => {
  it("figures are rounded to four significant digits", () => {
    expect([43.9219298, 0.00012345678, -4201.754, 1234567, 0, 5].map(roundToFourDigits)).toEqual([
      43.92, 0.0001235, -4202, 1235000, 0, 5,
    ]);
  });

  it("rounding returns no negative zero and no infinity", () => {
    expect(Object.is(roundToFourDigits(-0), 0)).toBe(true);
    expect(roundToFourDigits(Number.MAX_VALUE)).toBe(Number.MAX_VALUE);
  });
});

describe("column types", () => {
  it("only plain finite decimals are read as numbers", async () => {
    expect(await columnsOf("n\n1\n-2.5\n+.5\n1e3\n 7 \n0\n0.5")).toEqual([
      ["n", "number", 1, -2.5, 0.5, 1000, 7, 0, 0.5],
    ]);
    for (const other of ["0x10", "1,5", "Infinity", "1e999", "1_000", "5%", "1.2.3", "$5", "--1"]) {
      expect((await columnsOf(`n;m\n1;2\n${other};2`))[0]?.[1], other).toBe("text");
    }
  });

  it("numbers with leading zeros and integers beyond double precision remain text", async () => {
    expect(await columnsOf("id\n007\n12")).toEqual([["id", "text", "007", "12"]]);
    const [ids] = await columnsOf("id\n9007199254740993\n9007199254740992");
    expect(ids).toEqual(["id", "text", "9007199254740993", "9007199254740992"]);
  });

  it("calendar dates and date-times are read as dates, and years as numbers", async () => {
    const csv =
      "d,t,year,no\n2024-02-29,2024-01-01T10:00:00Z,2007,2024-02-30\n2023-01-01,2024-01-01 10:00+02:00,2008,2024-01-01";
    expect((await columnsOf(csv)).map(([name, type]) => [name, type])).toEqual([
      ["d", "date"],
      ["t", "date"],
      ["year", "number"],
      ["no", "text"],
    ]);
  });

  it("booleans are read in any case, and mixed values as text", async () => {
    expect(await columnsOf("b,m\ntrue,true\nFALSE,1")).toEqual([
      ["b", "boolean", true, false],
      ["m", "text", "true", "1"],
    ]);
  });

  it("common markers for missing values are recognised in any case, and a column with only these is empty", async () => {
    const csv = "x,y\nNA,1\n n/a ,2\nnull,NULL\nNaN,3\n,4";
    expect(await columnsOf(csv)).toEqual([
      ["x", "empty", null, null, null, null, null],
      ["y", "number", 1, 2, null, 3, 4],
    ]);
  });
});

describe("CSV", () => {
  it("the delimiter is detected from the header and the evenness of the rows", async () => {
    const names = ["a", "b"];
    for (const text of ["a,b\n1,2", "a;b\n1,5;2", "a\tb\n1\t2", "a|b\n1|2", "a;b\n1,5;2,5\n3"]) {
      expect(
        (await table({ csv: text })).columns.map((column) => column.name),
        text,
      ).toEqual(names);
    }
  });

  it.each([
    ["a semicolon", 'id;"name, first, title"\n1;"Ann, Smith, Dr"\n2;"Bo, Berg, Mr"', 2],
    ["a semicolon", '"a, b";"c, d, e"\n"1, 2";"3, 4, 5"', 2],
    ["a comma", '"a; b; c",d\n"1; 2; 3",4\n"5; 6; 7",8', 2],
    ["a comma", 'a,"b;c;d"\n1,"2;""3"";4"', 2],
    ["a comma", 'a,"b\n;c;d;"\n1,"2;3;4"', 2],
    ["a tab", 'a\t"b|c|d,e,f"\n1\t"2|3|4,5,6"', 2],
    ["a bar", 'a|b|"c;d;e;f;g"\n1|2|"3;4;5;6;7"', 3],
  ])(
    "table tools detect %s when quoted cells contain the other delimiters: %s",
    async (_, csv, columns) => {
      expect((await table({ csv })).columns.length).toBe(columns);
    },
  );

  it("delimiters around a quote inside an unquoted cell count in delimiter detection", async () => {
    const csv = 'size,note\n5" pipe,"a;b;c"\n6" pipe,d';
    expect(await columnsOf(csv)).toEqual([
      ["size", "text", '5" pipe', '6" pipe'],
      ["note", "text", "a;b;c", "d"],
    ]);
  });

  it("the ends of quoted cells are found in linear time", () => {
    for (const piece of [',""a', ',"a', '"",', '"']) {
      const started = performance.now();
      detectDelimiter(`a,b\n${piece.repeat(250_000)}`);
      expect(performance.now() - started, piece).toBeLessThan(20_000);
    }
  }, 120_000);

  it("CSV can have quoted delimiters, quotes and line breaks, a BOM and any line endings", async () => {
    const csv = '\uFEFFname,note\r\nAnn,"x, ""y""\r\nz"\rBob,plain\n';
    expect(await columnsOf(csv)).toEqual([
      ["name", "text", "Ann", "Bob"],
      ["note", "text", 'x, "y"\nz', "plain"],
    ]);
  });

  it("rows with too few or too many cells are noted by line, counting line breaks in quoted cells", async () => {
    const { columns, notes } = await table({ csv: 'a,b\n"1\n2",x\n3\n\n4,5,6\n' });
    expect(columns.map((column) => column.cells)).toEqual([
      ["1\n2", "3", "4"],
      ["x", null, "5"],
    ]);
    expect(notes).toEqual([
      "1 row has too few cells (line 4); the absent cells are treated as missing values.",
      "1 row has more cells than the header (line 6); the extra cells were omitted.",
    ]);
  });

  it("repeated headers are numbered without duplicate names, and empty headers are named", async () => {
    const { columns, notes } = await table({ csv: "x,x,,x_2,x\n1,2,3,4,5" });
    expect(columns.map((column) => column.name)).toEqual(["x", "x_3", "column_3", "x_2", "x_4"]);
    expect(notes).toHaveLength(2);
  });

  it("a CSV header alone yields no rows, with a note", async () => {
    const { rowCount, columns, notes } = await table({ csv: "a,b\n" });
    expect([rowCount, columns.length, notes]).toEqual([0, 2, ["The header has no rows below it."]]);
  });

  it("a note about many lines is shortened", async () => {
    const csv = `a,b\n${"1\n".repeat(10_000)}`;
    expect((await table({ csv })).notes).toEqual([
      "10000 rows have too few cells (lines 2, 3, 4, 5, 6 and 9995 more); the absent cells are treated as missing values.",
    ]);
  });

  it("text that is not a table is rejected", async () => {
    for (const csv of ["", "\n \n", ",,\n1,2,3", 'a,b\n1,"2\n3,4', "\u0001\u0002\u0003PNG"]) {
      expect(
        (await failure({ csv })).map((problem) => problem.path),
        JSON.stringify(csv),
      ).toEqual(["csv"]);
    }
    expect((await failure({ csv: 'a,b\n1,2\n1,"2\n3,4' }))[0]?.message).toContain("line 3");
  });

  it("tables that are far larger than their text are rejected", async () => {
    const names = Array.from({ length: 999 }, (_, index) => `c${index}`).join(",");
    expect(await failure({ csv: `${names}\n${"1\n".repeat(2000)}` })).toHaveLength(1);
    expect(await failure({ csv: "a,".repeat(400_000) })).toHaveLength(1);
  });

  it("CSV with so many quotes and spaces that parsing would take quadratic time is rejected", async () => {
    const csv = `"${'a" '.repeat(150_000)}${" ".repeat(500_000)},`;
    expect((await failure({ csv }))[0]?.message).toContain("spaces");
  });

  it("a cell of 900,000 digits and a letter is read as text", async () => {
    const csv = `a\n${"1".repeat(900_000)}x`;
    expect((await table({ csv })).columns[0]?.type).toBe("text");
  });

  it("text cells of CSV written by papaparse are read back unchanged", async () => {
    const cell = fc.string({ unit: "grapheme" }).filter((text) => !/\p{Cc}/u.test(text));
    const rows = fc.array(fc.tuple(fc.constant("k"), cell, cell), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(rows, async (data) => {
        const csv = papaparse.unparse({ fields: ["key", "x", "y"], data });
        const { columns, rowCount } = await table({ csv });
        expect(rowCount).toBe(data.length);
        for (const [row, [, x]] of data.entries()) {
          const found = columns[1]?.cells[row];
          const isMissing = ["", "na", "n/a", "null", "nan"].includes(x.trim().toLowerCase());
          if (columns[1]?.type === "text") expect(found).toBe(isMissing ? null : x);
        }
      }),
    );
  });

  it("reading CSV never throws, for any text", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", '"', ",", ";", "\n", "\r", " ", "\t", "1"),
    });
    await fc.assert(
      fc.asyncProperty(text, async (csv) => {
        const read = readTable({ csv });
        if (!read.ok) expect(read.failure[0]?.path).toBe("csv");
      }),
    );
  });
});

describe("data", () => {
  it("columns are the union of the rows' keys in order of appearance; absent and null values are missing", async () => {
    const { columns } = await table({ data: [{ a: 1 }, { b: "x", a: null }, { c: true }] });
    expect(columns).toEqual([
      { name: "a", type: "number", cells: [1, null, null] },
      { name: "b", type: "text", cells: [null, "x", null] },
      { name: "c", type: "boolean", cells: [null, null, true] },
    ]);
  });

  it("columns can be named like JavaScript's own properties", async () => {
    const data = JSON.parse('[{"__proto__":1,"constructor":"x","toString":2},{"__proto__":2}]');
    const { columns } = await table({ data });
    expect(columns.map(({ name, cells }) => [name, ...cells])).toEqual([
      ["__proto__", 1, 2],
      ["constructor", "x", null],
      ["toString", 2, null],
    ]);
  });

  it("nested values are read as JSON text, with a note", async () => {
    const { columns, notes } = await table({ data: [{ a: { b: [1] } }, { a: 2 }] });
    expect(columns[0]?.cells).toEqual(['{"b":[1]}', "2"]);
    expect(notes).toEqual(['Nested values were read as JSON text: column "a".']);
  });

  it("every row that is not an object is reported, up to twenty", async () => {
    expect(await failure({ data: [{ a: 1 }, [1], null] })).toEqual([
      { path: "data[1]", message: "must be an object of column names and values, got [1]" },
      { path: "data[2]", message: "must be an object of column names and values, got null" },
    ]);
    expect(await failure({ data: Array.from({ length: 100 }, () => 1) })).toHaveLength(20);
    expect(await failure({ data: [] })).toHaveLength(1);
    expect(await failure({ data: [{}] })).toHaveLength(1);
  });

  it("rows with too many different keys are rejected", async () => {
    const data = Array.from({ length: 50_000 }, (_, index) => ({ [`k${index}`]: 1 }));
    expect((await failure({ data }))[0]?.message).toContain("1000 columns");
  });
});

describe("table parameters", () => {
  it("exactly one of csv and data is required", async () => {
    expect((await failure({}))[0]?.path).toBe("csv");
    expect((await failure({ csv: "a\n1", data: [{ a: 1 }] }))[0]?.path).toBe("data");
  });

  it("an unknown column is rejected with the names of the known columns", async () => {
    const read = await table({ csv: "a,b\n1,2" });
    expect(findColumn(read, "b", "groupBy").ok).toBe(true);
    expect(findColumn(read, "z", "groupBy")).toEqual({
      ok: false,
      failure: {
        path: "groupBy",
        message: 'must be a column of the table ("a", "b"), got "z"',
      },
    });
  });
});
