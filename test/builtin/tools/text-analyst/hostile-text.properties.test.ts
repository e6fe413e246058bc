import { describe, expect, it, vi } from "vitest";
import { textAnalystHandlers } from "../../../../src/builtin/tools/text-analyst/handlers.ts";
import { capabilityRunner } from "../run-capability.ts";

// An input takes a few seconds; a busy machine may take several times as long.
vi.setConfig({ testTimeout: 20_000 });

const { problems } = capabilityRunner(textAnalystHandlers);

const PROSE =
  "Solar panels turn sunlight into electricity. A typical home needs about 20 solar panels, and the panels last for 25 years or more. Electricity from solar power is now cheaper than electricity from coal in most countries.\n";

/** Texts of about a million characters. Each is slow to process in some step of the analysis. */
const HOSTILE: [string, string][] = [
  ["one repeated word", "a ".repeat(500_000)],
  ["distinct words", Array.from({ length: 160_000 }, (_, i) => `x${i.toString(36)}`).join(" ")],
  ["prose", PROSE.repeat(4_600)],
  ["full stops", `a${".".repeat(999_999)}`],
  ["initials", "A. ".repeat(333_333)],
  ["one-word lines", "a\n \n".repeat(250_000)],
  ["headings", "# a\n".repeat(250_000)],
  ["long words", `${"s".repeat(59)} `.repeat(16_666)],
  ["spaces", `a${" ".repeat(999_998)}b`],
  ["apostrophes", "a'b ".repeat(250_000)],
  ["Chinese", "太阳能电池板把阳光转化为电力。".repeat(66_666)],
];

describe.each(["keywords", "summarise", "readability"])("%s", (capability) => {
  it.each(HOSTILE)(
    "a million characters of hostile text are analysed in time: %s",
    async (_, text) => {
      expect(await problems(capability, { text })).toEqual([]);
    },
  );
});
