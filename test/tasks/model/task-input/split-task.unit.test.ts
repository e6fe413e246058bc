import { describe, expect, it, vi } from "vitest";
import { splitTaskText } from "../../../../src/tasks/model/task-input/split-task.ts";

const BOSUN =
  "A bosun looks after the hull, the rigging and the boats of a ship. The deck crew reports to him.";
const LOWER = "the bosun of a ship looks after its hull, its rigging and its boats every day";
const CSV = "species,mass\nAdelie,3700\nGentoo,5076";
/**
 * If a splitter reread the text after each boundary, strings built from these parts would be the
 * slowest to split.
 */
const HOSTILE = [
  "a,b\n",
  "a,b\na,b,c\n",
  ",\n",
  "```x\n",
  '"',
  '" ',
  '"a" ',
  '""" ',
  "“« ",
  "[{",
  "[  ",
  ": ",
  ': "',
  "\n",
  "\n\n",
  "this ",
  "vat ",
  "a,b,",
  "1 ",
  "?",
  ". ",
];
const NOTES = "- Ship arrived late\n- Crew is tired";

function textIn(task: string): string | null {
  const { input } = splitTaskText(task);
  return input?.kind === "text" ? input.value : null;
}

describe("a task's text that contains its input", () => {
  it.each([
    ["a verb and a colon", `Summarise: ${BOSUN}`],
    ["American spelling", `Summarize: ${BOSUN}`],
    ["a polite request", `Could you please summarise this for me: ${BOSUN}`],
    ["lower case", `summarise: ${BOSUN}`],
    ["an abbreviation", `tl;dr: ${BOSUN}`],
    ["no space but a line break", `Summarise:\n${BOSUN}`],
    ["a line break alone", `Summarise\n${BOSUN}`],
    ["Windows line breaks", `Summarise this text.\r\n\r\n${BOSUN}`],
    ["announced text", `Please write a report on the following text: ${BOSUN}`],
    ["text announced with a full stop", `Summarise the following text. ${BOSUN}`],
    ["text announced as this", `Summarise this. ${BOSUN}`],
    ["text announced as being below", `Find the key terms of the text below.\n\n${BOSUN}`],
    ["a subject and a blank line", `Summarise the minutes.\n\n${BOSUN}`],
    ["a salutation", `Hello,\nplease summarise this text.\n\n${BOSUN}`],
    ["a label before the request", `Note: please summarise this text: ${BOSUN}`],
    ["directions before the colon", `Summarise this. Use short words: ${BOSUN}`],
    ["directions on a separate line", `Summarise this text.\nKeep it short.\n\n${BOSUN}`],
    ["labels like those in prompts", `Summarise the input.\nText: ${BOSUN}`],
    ["here is the text", `I need a short version. Here is the text: ${BOSUN}`],
    ["quotes", `Summarise "${BOSUN}"`],
    ["quotes after a colon", `Summarise: "${BOSUN}"`],
    ["triple quotes", `Summarise the text below.\n"""\n${BOSUN}\n"""`],
    ["a fenced block", `Write slides.\n\`\`\`\n${BOSUN}\n\`\`\`\nKeep it short.`],
    ["a fenced block that is not closed", `Write slides.\n\`\`\`\n${BOSUN}`],
    ["the request at the end", `${BOSUN}\n\nSummarise the text above.`],
    ["a bare request at the end", `${BOSUN}\nPlease summarise.`],
    ["German", `Fasse den folgenden Text zusammen: ${BOSUN}`],
    ["French", `Résume ce texte : ${BOSUN}`],
  ])("%s: the text outside the instruction is read", (_, task) => {
    expect(textIn(task)).toBe(BOSUN);
  });

  it.each([
    ["one short sentence", "Summarise: A bosun looks after ships.", "A bosun looks after ships."],
    ["no full stop", "Summarise: A bosun looks after ships", "A bosun looks after ships"],
    ["long lower-case text", `summarise: ${LOWER}`, LOWER],
    ["another colon", `Summarise: He has duties: ${LOWER}`, `He has duties: ${LOWER}`],
    ["an announced list", `Summarise the following notes:\n${NOTES}`, NOTES],
    [
      "announced text that contains instructions",
      "Summarise the following recipe: Use two eggs. Mix them.",
      "Use two eggs. Mix them.",
    ],
    [
      "text without spaces",
      "Summarise: 水夫長は船体と索具を管理します。",
      "水夫長は船体と索具を管理します。",
    ],
  ])("the text after the instruction is read as the input: %s", (_, task, text) => {
    expect(textIn(task)).toBe(text);
  });

  it.each([
    ["after a colon", `Analyse: \n${CSV}`, "csv", CSV],
    ["between sentences", `Make a chart, please\n${CSV}\nThank you.`, "csv", CSV],
    ["with quoted cells", 'Chart:\nname,n\n"Oslo, N",3', "csv", 'name,n\n"Oslo, N",3'],
    ["with semicolons", "Chart\nname;n\nOslo;1,5", "csv", "name;n\nOslo;1,5"],
    ["with tabs", "Chart\nname\tn\nOslo\t3", "csv", "name\tn\nOslo\t3"],
    ["in a fence", `Chart\n\`\`\`\n${CSV}\n\`\`\``, "csv", CSV],
    ["of words, in a fence labelled csv", "Read\n```csv\na,b\nc,d\n```", "csv", "a,b\nc,d"],
    ["as JSON rows", 'Chart: [{"n":1},{"n":2}]', "data", [{ n: 1 }, { n: 2 }]],
    ["as JSON rows in a fence", 'Chart\n```json\n[ {"n":1} ]\n```', "data", [{ n: 1 }]],
  ])("a table %s is read as a table", (_, task, kind, value) => {
    expect(splitTaskText(task).input).toEqual({ kind, value });
  });

  it.each([
    ["before the input", `Summarise this. ${BOSUN}`, "Summarise this."],
    ["after the input", `${BOSUN}\nPlease summarise.`, "Please summarise."],
    ["around a table", `Analyse this\n${CSV}\nThanks`, "Analyse this\nThanks"],
    ["around a fence", `Chart\n\`\`\`\n${CSV}\n\`\`\`\nThanks`, "Chart\nThanks"],
  ])("the instruction is the text %s", (_, task, instruction) => {
    expect(splitTaskText(task).instruction).toBe(instruction);
  });

  it("text is a table if its first thousand rows have a column of numbers", () => {
    const table = `species,mass\n${"Adelie,3700\n".repeat(1_500)}Gentoo,unknown`;
    expect(splitTaskText(`Analyse:\n${table}`).input).toEqual({ kind: "csv", value: table });
  });

  it("one megabyte of quoted text is read without its quotes", () => {
    const text = "A bosun looks after the hull. ".repeat(35_000).trim();
    expect(textIn(`Summarise: "${text}".`)).toBe(text);
  });

  it("an indented fence ends at its own closing fence, and its indentation is removed", () => {
    const task = "1. Analyse:\n   ```csv\n   shop,sold\n   N,1\n   S,5\n   ```\n2. Be brief.";
    expect(splitTaskText(task)).toEqual({
      instruction: "1. Analyse:\n2. Be brief.",
      input: { kind: "csv", value: "shop,sold\nN,1\nS,5" },
    });
    const code = "Explain:\n  ```\n  if a:\n    go(b)\n  ```";
    expect(textIn(code)).toBe("if a:\n  go(b)");
  });

  it("a fence after half a million lines is read", () => {
    const task = `Read${"\n".repeat(500_000)}\`\`\`\nOne text.\n\`\`\``;
    expect(textIn(task)).toBe("One text.");
  });

  it("two fenced blocks of text are joined", () => {
    const task = "Compare\n```\nOne text.\n```\nwith\n```\nAnother.\n```\nBe brief.";
    expect(splitTaskText(task)).toEqual({
      instruction: "Compare\nwith\nBe brief.",
      input: { kind: "text", value: "One text.\n\nAnother." },
    });
  });

  it("if there are two fenced tables, the first is read, and the second is counted as ignored", () => {
    const task = `Compare\n\`\`\`csv\n${CSV}\n\`\`\`\nwith\n\`\`\`csv\na,b\n1,2\n\`\`\``;
    expect(splitTaskText(task)).toEqual({
      instruction: "Compare\nwith\n```csv\na,b\n1,2\n```",
      input: { kind: "csv", value: CSV },
      ignoredBlockCount: 1,
    });
  });

  it("text with a small table is read as text", () => {
    const text = `Dear all,\nberth,ships\nnorth,3\n${BOSUN} ${BOSUN}`;
    expect(textIn(`Summarise this e-mail:\n${text}`)).toBe(text);
  });
});

describe("a task's text that is only an instruction", () => {
  it.each([
    ["a request", "Summarise what happened in Bergen"],
    ["a request whose input is missing", "Summarise the following text:"],
    ["a blank input", "Summarise this: \n \n"],
    ["an empty fence", "Summarise this\n```\n```"],
    ["a subject", "Summarise: quarterly sales"],
    ["a subject in lower case", "Summarise: the sales of the last quarter."],
    ["a subject that is a list", "Analyse sales: North, South, East, West, Central"],
    ["a label", "Note: please analyse the sales figures before Friday, and write a report."],
    ["a task label", "Task: Analyse the sales of March. Write a report for the board."],
    ["a question", "Explain: Why did sales in Europe fall by ten percent in this quarter?"],
    ["a time of day", "Review the plan at 10:30 and write down what you find in it"],
    ["an address", "Summarise https://example.com/a/very/long/path and send a report on it"],
    ["sections", "Write a report with sections: Introduction, Findings and Outlook of this year."],
    ["directions after a colon", "Analyse the sales: Look at regions. Compare them with May."],
    ["directions in sentences", "Summarise this report. Focus on risks. Keep it on one page."],
    ["directions on lines", "Summarise the report.\nUse bullet points.\nKeep it short."],
    [
      "a list of requirements",
      "Summarise sales and cover the following:\n- risks by region\n- outlook",
    ],
    ["questions", "Analyse the table and answer the following questions:\n1. Who?\n2. Why is it?"],
    ["a brief", "Prepare slides.\n\nThe audience is the board of the harbour. They have an hour."],
    ["a background", "We met the customer on Monday and they complained.\nAnalyse the sales."],
    ["a title in quotes", 'Write a report called "The State of the Harbour in the Winter of 1702"'],
    ["a description of the output", "Write this report: Sales by region, and the outlook for May."],
    ["a nested JSON array", 'Look at [{"a":{"b":1}}]'],
    ["broken JSON", 'Look at [{"a":1},'],
    ["an empty JSON array", "Look at []"],
    ["JSON with half a character", String.raw`Look at [{"a":"\ud800"}]`],
    ["lines with a comma each", "Hello Ada, please\nlook into sales, and costs\nBest, Bo"],
    ["four thousand characters", "港".repeat(4_000)],
  ])("a task with %s has no input", (_, task) => {
    expect(splitTaskText(task)).toEqual({ instruction: task, input: null });
  });

  it("splitting one megabyte of hostile text takes less than ten seconds", () => {
    for (const piece of HOSTILE) {
      for (const start of ["Summarise this: ", 'Summarise: "', "Summarise\n"]) {
        const task = start + piece.repeat(1_000_000 / piece.length);
        const started = performance.now();
        splitTaskText(task);
        expect(performance.now() - started, JSON.stringify([start, piece])).toBeLessThan(10_000);
      }
    }
  }, 120_000);

  it.each(HOSTILE)(
    "the regular expressions read long text made of %j fewer than ten times",
    (piece) => {
      const task = `Summarise: ${piece.repeat(1_000_000 / piece.length)}`;
      expect(charactersMatched(() => splitTaskText(task))).toBeLessThan(10 * task.length);
    },
  );
});

/**
 * Counts the characters to which regular expressions are applied. The count does not depend on the
 * machine's speed.
 */
function charactersMatched(run: () => void): number {
  let characters = 0;
  // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
  const { exec } = RegExp.prototype;
  const spy = vi.spyOn(RegExp.prototype, "exec").mockImplementation(function (this: RegExp, text) {
    if (this.lastIndex === 0) characters += text.length;
    return exec.call(this, text);
  });
  run();
  spy.mockRestore();
  return characters;
}
