import { expect, it } from "vitest";
import { formatCsv } from "../../src/kernel/csv.ts";

it("cells with separators, quotes or line breaks are quoted, and lines end with CRLF", () => {
  expect(
    formatCsv(
      ["id", "cost"],
      [
        ['a,"b"', 0.25],
        ["c\nd", -1],
        ["é", 0],
      ],
    ),
  ).toBe('id,cost\r\n"a,""b""",0.25\r\n"c\nd",-1\r\né,0\r\n');
});

it.each(["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1", '=HYPERLINK("x")'])(
  "a spreadsheet shows %j instead of evaluating it",
  (text) => {
    const cell = formatCsv([text], []).trimEnd().replace(/^"/, "");
    expect(cell.startsWith("'")).toBe(true);
  },
);
