import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { get } from "../support/client.ts";

/** Characters with a special meaning in SQL, LIKE, FTS5 or GLOB, and unusual Unicode characters. */
const LETTERS = Array.from("aAbB %_'\"\\*?[^-+(){}:,.;/~éÉßžŽжЖ日本語😀").concat("e\u0301");

const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength });

/** Random tools, the same for every search in this file. */
const RANDOM_TOOLS = fc
  .sample(fc.record({ name: text(12), description: text(30) }), { numRuns: 60, seed: 7 })
  .map((tool, index) => ({ ...tool, id: `random-${index}` }));

async function search(wanted: string): Promise<{ ids: string[]; total: number }> {
  const answer = await get(`/agents/tools?limit=100&search=${encodeURIComponent(wanted)}`);
  if (answer.status !== 200) throw new Error(answer.text);
  const { tools, total } = answer.body.data;
  return { ids: tools.map(({ id }: { id: string }) => id), total };
}

describe("search", () => {
  const TOOLS = {
    percent: { name: "Rate 100%", description: "Ends in a per cent sign: %" },
    under: { name: "snake_case", description: "Ends in an underscore _" },
    quotes: { name: 'O\'Neill "quoted"', description: 'Ends in a quote "' },
    star: { name: "a*b", description: "Ends in ( AND OR NOT NEAR" },
    unicode: { name: "GRÖSSE ÉCOLE", description: "ends in ž" },
    cyrillic: { name: "Журнал", description: "Записи о СУДНЕ" },
    japanese: { name: "天気予報", description: "明日の天気" },
    emoji: { name: "Ship 🚢🚢", description: "Sails ⛵" },
    back: { name: "C:\\temp", description: "slash \\" },
  };

  beforeAll(() =>
    registerTools(
      ...Object.entries(TOOLS).map(([id, { name, description }]) =>
        foreignTool(id, { name, description, category: "creative" }),
      ),
    ),
  );

  it.each([
    ["one letter that is a SQL wildcard", "%", ["percent"]],
    ["one letter at the end of a text", "ž", ["unicode"]],
    ["two letters at the end of a text", "_", ["under"]],
    ["two letters at the very end", " ž", ["unicode"]],
    ["the last letter and one more", "ž ", []],
    ["a per cent sign among others", "100%", ["percent"]],
    ["an underscore among others", "e_c", ["under"]],
    ["an underscore that is not a wildcard", "snake_", ["under"]],
    ["an underscore in place of a letter", "snak_", []],
    ["a per cent sign in place of letters", "s%e", []],
    ["a single quote", "O'N", ["quotes"]],
    ["a double quote", '"quo', ["quotes"]],
    ["only double quotes", '""', []],
    ["one double quote", '"', ["quotes"]],
    ["an asterisk", "a*b", ["star"]],
    ["words of the query language", "and or not near", ["star"]],
    ["a bracket", "(", ["star"]],
    ["a backslash", ":\\", ["back"]],
    ["letters beyond ASCII in the other case", "größe école", []],
    ["letters beyond ASCII as they are folded", "grösse école", ["unicode"]],
    ["two letters beyond ASCII", "éc", ["unicode"]],
    ["Cyrillic in the other case", "ЖУРНАЛ", ["cyrillic"]],
    ["two Cyrillic letters in the other case", "су", ["cyrillic"]],
    ["one Cyrillic letter", "ж", ["cyrillic"]],
    ["two Japanese letters", "天気", ["japanese"]],
    ["three Japanese letters", "天気予", ["japanese"]],
    ["one letter outside the basic plane", "🚢", ["emoji"]],
    ["two letters outside the basic plane", "🚢🚢", ["emoji"]],
    ["three letters that no tool contains", "🚢🚢🚢", []],
    ["half of the letters of a name and a description", "temp slash", []],
  ])("search finds the right tools for %s: %j", async (_, wanted, expected) => {
    const { ids, total } = await search(wanted);
    expect(ids.filter((id) => id in TOOLS)).toEqual(expected);
    expect(total).toBe(ids.length);
  });

  it("search follows a tool whose name and description change", async () => {
    await registerTools(foreignTool("fleeting", { name: "Sextant", description: "Of brass" }));
    expect((await search("sextant")).ids).toEqual(["fleeting"]);
    await registerTools(foreignTool("fleeting", { name: "Astrolabe", description: "Of tin zq" }));
    expect((await search("sextant")).ids).toEqual([]);
    expect((await search("brass")).ids).toEqual([]);
    expect((await search("astrolabe")).ids).toEqual(["fleeting"]);
    expect((await search("zq")).ids).toEqual(["fleeting"]);
  });
});

describe("a letter that thousands of different letters follow", () => {
  it("search finds a letter in either case, even if thousands of different letters follow it", async () => {
    const others = Array.from({ length: 2_100 }, (_, index) =>
      String.fromCodePoint(0x4e00 + index),
    );
    await registerTools(
      foreignTool("varied", {
        name: "Varied",
        description: others.map((other) => `я${other}`).join(""),
      }),
      foreignTool("lower", { name: "Моря", description: "" }),
      foreignTool("upper", { name: "ЯКОРЬ", description: "" }),
      foreignTool("without", { name: "Море", description: "" }),
    );
    for (const letter of ["я", "Я"]) {
      expect(await search(letter)).toEqual({ ids: ["varied", "lower", "upper"], total: 3 });
    }
  });
});

describe("a catalogue of random tools", () => {
  beforeAll(() =>
    registerTools(
      ...RANDOM_TOOLS.map(({ id, name, description }) =>
        foreignTool(id, { name, description, category: "research" }),
      ),
    ),
  );

  it("search finds exactly the tools that contain the text, in the order of registration", async () => {
    const piece = fc
      .tuple(fc.constantFrom(...RANDOM_TOOLS), fc.nat(11), fc.integer({ min: 1, max: 5 }))
      .map(([{ name, description }, start, length]) =>
        Array.from(`${name}${description}`)
          .slice(start, start + length)
          .join(""),
      );
    const wanted = fc.oneof(text(4), piece).filter((one) => one !== "");
    await fc.assert(
      fc.asyncProperty(wanted, async (one) => {
        const holds = (held: string) => held.toLowerCase().includes(one.toLowerCase());
        const expected = RANDOM_TOOLS.filter(
          ({ name, description }) => holds(name) || holds(description),
        );
        const { ids } = await search(one);
        expect(ids.filter((id) => id.startsWith("random-"))).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 300 },
    );
  });
});
