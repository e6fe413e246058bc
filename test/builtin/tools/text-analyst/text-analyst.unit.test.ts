import { describe, expect, it, vi } from "vitest";
import { textAnalyst } from "../../../../src/builtin/tools/text-analyst/definition.ts";
import { textAnalystHandlers } from "../../../../src/builtin/tools/text-analyst/handlers.ts";
import { capabilityRunner } from "../run-capability.ts";

// The largest inputs take about a second; a busy machine may take several.
vi.setConfig({ testTimeout: 20_000 });

const { result, problems } = capabilityRunner(textAnalystHandlers);

const ARTICLE = `Solar panels turn sunlight into electricity. A typical home needs about 20 solar panels, and the panels last for 25 years or more. Electricity from solar power is now cheaper than electricity from coal in most countries.
Battery storage helps when the sun does not shine. Battery storage costs have fallen by 80 percent since 2013, which makes solar power a reliable source of energy. Dr. Smith of the University of Oslo says that battery storage is the key to the energy transition.

## Policy

The government's subsidies for solar panels ended in 2024. However, the solar industry keeps growing: the industry added 40,000 jobs last year.`;

describe("definition", () => {
  it("the definition lists exactly the capabilities that have handlers", () => {
    expect(textAnalyst.capabilities.map(({ id }) => id)).toEqual(Object.keys(textAnalystHandlers));
  });
});

describe.each(["keywords", "summarise", "readability"])("%s", (capability) => {
  it.each(["", " \n\t", "123 456", "?!…", "😀", "a".repeat(61)])(
    "the text %j, which has no word, is rejected",
    async (text) => {
      expect(await problems(capability, { text })).toEqual([
        { path: "text", message: expect.stringMatching(/^must have at least one word, got /) },
      ]);
    },
  );
});

describe("keywords", () => {
  it("keywords are scored by PageRank", async () => {
    // A star graph with one hub and three leaves: hub = (0.15 / 4 + 0.85) / 1.85, leaf = (1 - hub) / 3.
    const { keywords } = await result("keywords", { text: "Hub alpha. Hub beta. Hub gamma." });
    expect(keywords).toEqual([
      { term: "Hub", count: 3, score: 0.4797 },
      { term: "alpha", count: 1, score: 0.1734 },
      { term: "beta", count: 1, score: 0.1734 },
      { term: "gamma", count: 1, score: 0.1734 },
    ]);
  });

  it("the main topics rank first among keywords, with phrases, in their most frequent form", async () => {
    const found = await result("keywords", { text: ARTICLE, limit: 4 });
    expect(found["language"]).toBe("en");
    expect(found["method"]).toBe("TextRank");
    const keywords = Array.isArray(found["keywords"]) ? found["keywords"] : [];
    expect(keywords).toHaveLength(4);
    for (const [term, count] of [
      ["solar panels", 3],
      ["solar", 6],
      ["battery storage", 3],
    ]) {
      expect(keywords).toContainEqual({ term, count, score: expect.any(Number) });
    }
    const scores = keywords.map((keyword) => Object(keyword).score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  });

  it("keywords count inflections together and exclude stop words, numbers and contractions", async () => {
    const text =
      "Penguins swim. A penguin isn't a bird that flies, and penguins don't mind 2 other penguins.";
    const { keywords } = await result("keywords", { text });
    expect(keywords).toContainEqual({ term: "penguins", count: 4, score: expect.any(Number) });
    const terms = (Array.isArray(keywords) ? keywords : []).map((keyword) =>
      JSON.stringify(keyword),
    );
    expect(terms.join()).not.toMatch(/"(?:isn't|don't|a|and|of|the|2)"/);
  });

  it("keywords exclude words that appear only inside a phrase, and keep hyphens", async () => {
    const text =
      "Open-source licences matter. An open-source project needs an open-source licence.";
    const { keywords } = await result("keywords", { text });
    expect(keywords).toContainEqual({ term: "open-source", count: 3, score: expect.any(Number) });
    expect(JSON.stringify(keywords)).not.toMatch(/"(?:open|source)"/i);
  });

  it.each([
    ["de", "Die Sonne liefert Energie, und die Energie der Sonne ist sauber."],
    ["fr", "Le soleil donne de la lumière et la lumière est utile pour les plantes."],
    ["ru", "Это хорошо для экономики, и это не загрязняет воздух."],
    ["und", "Zorp blix quandle."],
  ])("the language %s is detected, with a note", async (code, text) => {
    const { language, notes } = await result("keywords", { text });
    expect(language).toBe(code);
    expect(notes).toHaveLength(1);
  });

  it("a note says when a text has more words than are ranked", async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `word${i}`).join(" ");
    const { words, notes } = await result("keywords", { text });
    expect(words).toBe(60_000);
    expect(notes).toContain("Only the first 50,000 of 60,000 content words were ranked.");
  });

  it.each([0, 51, 2.5, -1])("a limit of %d and an empty text are both reported", async (limit) => {
    expect((await problems("keywords", { text: "", limit })).map(({ path }) => path)).toEqual([
      "text",
      "limit",
    ]);
  });
});

describe("summarise", () => {
  it("sentences are scored by TextRank", async () => {
    // The first and third sentences each share one word with the second: second = (0.05 + 0.85) / 1.85.
    const text = "Cats drink milk. Cats chase mice. Mice eat cheese.";
    expect(await result("summarise", { text, sentences: 1 })).toEqual({
      summary: "Cats chase mice.",
      sentences: [{ position: 2, text: "Cats chase mice.", score: 0.4865 }],
      ofSentences: 3,
      method: "TextRank",
      notes: [],
    });
    const { sentences } = await result("summarise", { text, sentences: 3 });
    expect(sentences).toMatchObject([{ score: 0.2568 }, { score: 0.4865 }, { score: 0.2568 }]);
  });

  it("a summary consists of complete sentences in text order", async () => {
    const { sentences, summary, ofSentences } = await result("summarise", { text: ARTICLE });
    const chosen = Array.isArray(sentences) ? sentences : [];
    expect(chosen).toHaveLength(3);
    const positions = chosen.map((sentence) => Object(sentence).position);
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    for (const sentence of chosen) expect(ARTICLE).toContain(Object(sentence).text);
    expect(summary).toBe(chosen.map((sentence) => Object(sentence).text).join(" "));
    expect(ofSentences).toBe(9);
  });

  it("titles, initials and wrapped lines do not split a sentence", async () => {
    const text = "We met Dr. J. Smith\nat noon. He left.\n\n- One item\n- Two items";
    const { sentences } = await result("summarise", { text, sentences: 20 });
    expect(sentences).toMatchObject([
      { position: 1, text: "We met Dr. J. Smith at noon." },
      { position: 2, text: "He left." },
      { position: 3, text: "One item" },
      { position: 4, text: "Two items" },
    ]);
  });

  it("a repeated sentence is listed once in a summary", async () => {
    const text = `${"Buy now and save money. ".repeat(5)}Cats chase mice. Mice eat cheese.`;
    const { sentences, ofSentences } = await result("summarise", { text, sentences: 20 });
    expect(sentences).toHaveLength(3);
    expect(ofSentences).toBe(7);
  });

  it("a summary covers the first four hundred sentences of a longer text, with a note", async () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `Cat ${i} chases mouse ${i}.`).join(" ");
    const { ofSentences, notes } = await result("summarise", { text });
    expect(ofSentences).toBe(1_000);
    expect(notes).toEqual(["Only the first 400 of 1,000 sentences were read."]);
  });

  it.each([0, 21, 1.5])("a summary of %d sentences is rejected", async (sentences) => {
    expect(await problems("summarise", { text: "A cat.", sentences })).toEqual([
      { path: "sentences", message: `must be a whole number from 1 to 20, got ${sentences}` },
    ]);
  });
});

describe("readability", () => {
  it("readability figures match the formulas worked out by hand", async () => {
    // 6 words, 1 sentence, 6 syllables, 17 letters.
    expect(await result("readability", { text: "The cat sat on the mat." })).toEqual({
      words: 6,
      sentences: 1,
      syllables: 6,
      fleschReadingEase: 116.1,
      fleschKincaidGrade: -1.45,
      gunningFog: 2.4,
      smog: 3.129,
      colemanLiau: -4.073,
      automatedReadability: -5.085,
      level: "very easy",
      readingTime: "2s",
      notes: [
        "The figures are rough for texts under 100 words; this one has 6.",
        "SMOG is designed for 30 sentences or more; the text has 1.",
      ],
    });
  });

  it("long words are counted as Gunning and McLaughlin defined them", async () => {
    // Three or more syllables: remarkable, Alabama (a name), visited (-ed). Fog counts only the
    // first.
    const text = "We saw remarkable things. In Alabama we visited him.";
    const { words, sentences, gunningFog, smog } = await result("readability", { text });
    expect([words, sentences]).toEqual([9, 2]);
    expect(gunningFog).toBe(6.244); // 0.4 * (9 / 2 + 100 * 1 / 9)
    expect(smog).toBe(10.13); // 3.1291 + 1.043 * sqrt(3 * 30 / 2)
  });

  it("text in another script has no readability figures, and a note says why", async () => {
    const found = await result("readability", { text: "Солнечная энергия становится дешевле." });
    expect(found).toMatchObject({ words: 4, sentences: 1, syllables: null, level: null });
    expect(found).toMatchObject({ fleschReadingEase: null, smog: null, readingTime: null });
    expect(found["notes"]).toEqual([expect.stringContaining("not Latin")]);
  });

  it("a readability note says when the text is not English", async () => {
    const text = "Die Sonne liefert Energie, und die Energie der Sonne ist sauber.";
    const { notes } = await result("readability", { text });
    expect(notes).toContainEqual(
      expect.stringContaining('designed for English; the text appears to be in "de"'),
    );
  });

  it("hard text is rated as very difficult", async () => {
    const hard =
      "Notwithstanding considerable institutional opposition, the administration's comprehensive reorganisation accelerated unprecedented technological modernisation.";
    const { level, fleschReadingEase } = await result("readability", { text: hard });
    expect(level).toBe("very difficult");
    expect(fleschReadingEase).toBeLessThan(0);
  });
});
