import { expect, it } from "vitest";
import {
  bytesText,
  counted,
  dayOf,
  dollars,
  listPrice,
  measured,
} from "../../bench/report/digits.ts";

it.each([
  [0, "0.00"],
  [0.012345, "0.0123"],
  [0.8, "0.800"],
  [9.996, "10.0"],
  [999.6, "1,000"],
  [1_234.5, "1,230"],
  [1_234_567, "1,230,000"],
])("the measured value %d is shown with three digits: %s", (value, text) => {
  expect(measured(value)).toBe(text);
});

it.each([
  [null, "–"],
  [0, "0"],
  [14, "14"],
  [2.3333, "2.33"],
  [0.0064, "0.0064"],
])("the count %o is shown as %s", (value, text) => {
  expect(counted(value)).toBe(text);
});

it.each([
  [0, "$0"],
  [0.0003, "$0.0003"],
  [0.005, "$0.01"],
  [32.731, "$32.73"],
  [99.99, "$99.99"],
  [1_234.5, "$1,235"],
])("%d dollars are shown as %s", (value, text) => {
  expect(dollars(value)).toBe(text);
});

it.each([
  [0.3, "0.30"],
  [12.5, "12.50"],
  [0.001, "0.001"],
  [0.015, "0.015"],
  [50, "50.00"],
])("the list price %d is shown as %s", (value, text) => {
  expect(listPrice(value)).toBe(text);
});

it.each([
  [512, "512 bytes"],
  [716_800, "700 KiB"],
  [2_500_000, "2.38 MiB"],
  [8 * 2 ** 30, "8.00 GiB"],
])("%d bytes are shown as %s", (value, text) => {
  expect(bytesText(value)).toBe(text);
});

it("a timestamp's day is its day in UTC", () => {
  expect(dayOf("2026-11-22T23:59:59.999Z")).toBe("22 November 2026");
});
