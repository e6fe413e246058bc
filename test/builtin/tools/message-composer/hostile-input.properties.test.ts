import { describe, expect, it, vi } from "vitest";
import { messageComposerHandlers } from "../../../../src/builtin/tools/message-composer/handlers.ts";
import { capabilityRunner } from "../run-capability.ts";

// The largest inputs take seconds; a busy machine may take several times as long.
vi.setConfig({ testTimeout: 20_000 });

const { result, problems } = capabilityRunner(messageComposerHandlers);

const TOO_MUCH_WORK = [
  { path: "template", message: expect.stringContaining("takes too much work to render") },
];

describe("slow templates", () => {
  it.each([
    ["an empty loop", "{% for i in (1..100000000) %}{% endfor %}"],
    [
      "nested loops",
      "{% assign a = (1..1000) %}{% for i in a %}{% for j in a %}{% endfor %}{% endfor %}",
    ],
    ["text that doubles", `{% assign s = "ab" %}${"{% assign s = s | append: s %}".repeat(40)}`],
    [
      "arrays that nest",
      `{% assign a = "x" | split: "," %}${"{% assign a = a | push: a %}".repeat(40)}{{ a | json }}`,
    ],
    [
      "an expensive filter in a loop",
      "{% for i in (1..100000) %}{% assign x = big | sum %}{% endfor %}",
    ],
    [
      "an expensive comparison in a loop",
      "{% for i in (1..100000) %}{% if big contains 2 %}{% endif %}{% endfor %}",
    ],
    ["a search that nearly matches everywhere", "{% assign x = text | split: needle %}"],
    [
      "long conditions in a loop",
      `{% for i in (1..2000) %}{% if 1 == 2${" or 1 == 2".repeat(5_000)} %}{% endif %}{% endfor %}`,
    ],
    [
      "many cases in a loop",
      `{% for i in (1..2000) %}{% case 1 %}${"{% when 2 %}".repeat(5_000)}{% endcase %}{% endfor %}`,
    ],
    [
      "many filters in a loop",
      `{% for i in (1..2000) %}{{ "a"${" | upcase".repeat(5_000)} }}{% endfor %}`,
    ],
    [
      "a long path in a loop",
      `{% for i in (1..2000) %}{{ big${"[0]".repeat(20_000)} }}{% endfor %}`,
    ],
    ["a long expression for each item", "{% assign x = big | find_exp: 'i', condition %}"],
    ["wide dates", "{{ 0 | date: '%9999999999d' }}"],
  ])("%s is rejected before it takes too much work", async (_, template) => {
    const values = {
      big: Array.from({ length: 200_000 }, () => 1),
      condition: `i == 2${" or i == 2".repeat(5_000)}`,
      text: "a".repeat(300_000),
      needle: `${"a".repeat(30_000)}b${"a".repeat(30_000)}`,
    };
    expect(await problems("render-template", { template, values })).toEqual(TOO_MUCH_WORK);
  });

  it("ten thousand rows are rendered", async () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `n${id}` }));
    const template = "{% for row in rows %}{{ row.id }}={{ row.name }}\n{% endfor %}";
    const { text } = await result("render-template", { template, values: { rows } });
    const written = String(text);
    expect(written.split("\n")).toHaveLength(10_001);
    expect(written).toContain("\n9999=n9999\n");
  });
});

describe("slow Markdown", () => {
  it.each([
    ["brackets", "["],
    ["links that never close", "[a]("],
    ["pictures", "!["],
    ["emphasis", "*_a "],
    ["nested quotes", ">"],
    ["nested lists", "- "],
    ["code that never closes", "`a"],
    ["a wide table", "|a"],
    ["addresses", "http://"],
    ["entities", "&"],
  ])("a hundred thousand characters of %s are converted in time", async (_, part) => {
    const markdown = part.repeat(Math.floor(100_000 / part.length));
    expect(await result("markdown-to-html", { markdown })).toHaveProperty("html");
    expect(await result("markdown-to-text", { markdown, wrap: 80 })).toHaveProperty("text");
  });

  it("a table of ten thousand rows is converted", async () => {
    const markdown = `|a|b|\n|-|-|\n${"|a|b|\n".repeat(10_000)}`;
    const { text } = await result("markdown-to-text", { markdown });
    expect(String(text).split("\n")).toHaveLength(10_001);
  });
});
