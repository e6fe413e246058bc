import { Artifact, Message } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { extractInlineBytes } from "../../../src/executors/a2a/inline-bytes.ts";
import { decodeBase64url } from "../../../src/kernel/bytes.ts";
import { buildA2aOutcome } from "../../../src/executors/a2a/turn-outcome.ts";
import {
  computeA2aRetryDelayMs,
  computePollDelayMs,
} from "../../../src/executors/a2a/intervals.ts";
import { estimateProgress } from "../../../src/executors/a2a/progress-writer.ts";
import { checkFileName, createFileNamer } from "../../../src/tasks/model/files.ts";
import { toArtifactFiles } from "../../../src/executors/a2a/save-artifacts.ts";

const NOTHING = { deliverables: [], notes: [] };

function artifact(name: string, ...parts: readonly object[]): Artifact {
  return Artifact.fromJSON({ artifactId: name, name, parts });
}

describe("an artifact's files", () => {
  const named = (...artifacts: readonly Artifact[]) => {
    const nameFor = createFileNamer();
    return toArtifactFiles(artifacts).map((piece) => [
      nameFor(piece.stem, piece.extension),
      piece.format,
    ]);
  };

  it.each([
    ["report.md", { text: "x" }, "report.md", "text/markdown; charset=utf-8"],
    ["report", { text: "x" }, "report.md", "text/markdown; charset=utf-8"],
    [
      "notes",
      { text: "x", mediaType: "text/plain; charset=latin1" },
      "notes.txt",
      "text/plain; charset=utf-8",
    ],
    ["page", { text: "x", mediaType: "text/html" }, "page.html", "text/html; charset=utf-8"],
    [
      "odd",
      { text: "x", mediaType: "application/vnd.api+json" },
      "odd.json",
      "application/vnd.api+json",
    ],
    ["figures", { data: [1] }, "figures.json", "application/json"],
    [
      "",
      { text: "x", filename: "C:\\Temp\\Zoë's list.TXT" },
      "zoe-s-list.txt",
      "text/plain; charset=utf-8",
    ],
    ["../../..", { text: "x" }, "document.md", "text/markdown; charset=utf-8"],
    ["x", { url: "https://a.example.com/dir/map.png?size=2" }, "map.png", "image/png"],
    ["x", { url: "https://a.example.com/download" }, "x.bin", "application/octet-stream"],
    [
      "x",
      { text: "x", mediaType: "text/html\r\nX-Evil: 1" },
      "x.md",
      "text/markdown; charset=utf-8",
    ],
  ])(
    "an artifact named %j with the part %j becomes the file %s of the type %s",
    (name, part, file, format) => {
      expect(named(artifact(name, part))).toEqual([[file, format]]);
    },
  );

  it("artifact files have distinct names, and consecutive text parts of one artifact become one file", () => {
    const files = named(
      artifact("report", { text: "a" }, { text: "b" }, { data: 1 }, { text: "c" }),
      artifact("report", { text: "d" }, {}),
    );
    expect(files.map(([name]) => name)).toEqual([
      "report.md",
      "report.json",
      "report-2.md",
      "report-3.md",
    ]);
  });
});

describe("file names", () => {
  const ODD = [
    "a\ud800.md",
    "\udc00.\udc00",
    "\u202egpj.exe",
    "..",
    "...md",
    "a/../..",
    "\u0000",
    "x".repeat(5_000),
    `${"x".repeat(5_000)}.md`,
    "x.averylongextension",
    "🚢🚢.md",
    " . ",
    "con",
  ];

  it.each(ODD)("the file names of an artifact called %j are valid", (odd) => {
    const nameFor = createFileNamer();
    const pieces = toArtifactFiles([
      artifact(odd, { text: "x" }, { data: 1 }, { url: `https://a.example.com/${odd}` }),
      artifact("x", { text: "x", filename: odd }, { data: 1, filename: odd }),
    ]);
    expect(pieces).toHaveLength(5);
    for (const piece of pieces)
      expect(checkFileName(nameFor(piece.stem, piece.extension))).toBeNull();
  });
});

describe("an outcome", () => {
  const message = Message.fromJSON({ messageId: "m", parts: [{ text: "Done." }] });

  it("an outcome's summary is the agent's last text, or its files, or a note that there was no text", () => {
    const made = [artifact("report", { text: "# All " }, { text: "is well" })];
    expect(buildA2aOutcome(message, made, NOTHING).result.summary).toBe("Done.");
    expect(buildA2aOutcome(null, made, NOTHING).result.summary).toBe("# All is well");
    expect(buildA2aOutcome(null, [], NOTHING).result.summary).toBe(
      "The agent completed the task without a summary.",
    );
  });

  it("an outcome keeps its notes however long the agent's text is", () => {
    const long = Message.fromJSON({ messageId: "m", parts: [{ text: "x".repeat(10_000) }] });
    const { summary } = buildA2aOutcome(long, [], {
      deliverables: [],
      notes: ["Not stored: a."],
    }).result;
    expect(summary).toHaveLength(4_000);
    expect(summary).toMatch(/…\n\nNot stored: a\.$/);
  });

  it("an outcome has no quality score if the score is missing parts or out of range", () => {
    for (const quality of [
      { score: 80 },
      80,
      { score: 1, accuracy: 1, completeness: 1, clarity: 101 },
    ]) {
      const made = [artifact("result", { data: { summary: "S", quality } })];
      expect(buildA2aOutcome(message, made, NOTHING)).toMatchObject({
        quality: null,
        result: { summary: "S" },
      });
    }
  });
});

describe("polling and progress", () => {
  it("polling slows down as the work gets older, within limits", () => {
    expect([0, 3_000, 8_000, 40_000, 3_600_000].map(computePollDelayMs)).toEqual([
      1_000, 1_000, 2_000, 10_000, 15_000,
    ]);
    expect(computeA2aRetryDelayMs(0, null)).toBe(2_000);
    expect(computeA2aRetryDelayMs(60_000, null)).toBe(15_000);
    expect(computeA2aRetryDelayMs(0, 120)).toBe(120_000);
    expect(computeA2aRetryDelayMs(0, 1e9)).toBe(300_000);
  });

  it("progress never decreases, and stays at 90 or less unless the agent reports more", () => {
    let progress = 0;
    for (let word = 0; word < 200; word += 1) {
      const next = estimateProgress(progress, null);
      expect(next).toBeGreaterThanOrEqual(progress);
      progress = next;
    }
    expect(progress).toBe(90);
    expect(estimateProgress(95, null)).toBe(95);
    expect(estimateProgress(40, 20)).toBe(40);
    expect(estimateProgress(40, 97)).toBe(97);
  });
});

describe("bytes in a response", () => {
  it("bytes are extracted from the parts of artifacts and from nothing else", () => {
    const kept: string[] = [];
    const keep = (base64: string): string => `kept:${kept.push(base64)}`;
    const part = { raw: "AA==", filename: "a.bin" };
    const given = {
      result: {
        task: {
          artifacts: [
            { parts: [part, { data: { parts: [part], raw: "no" } }, { text: "t", raw: "no" }] },
          ],
          metadata: { parts: [part] },
        },
      },
    };
    expect(extractInlineBytes(given, keep)).toEqual({
      result: {
        task: {
          artifacts: [
            {
              parts: [
                { url: "kept:1", filename: "a.bin" },
                { data: { parts: [part], raw: "no" } },
                { text: "t", raw: "no" },
              ],
            },
          ],
          metadata: { parts: [part] },
        },
      },
    });
    expect(kept).toEqual(["AA=="]);
  });

  it("bytes are decoded from both base64 alphabets", () => {
    expect(decodeBase64url("-_8=")).toEqual(Uint8Array.of(0xfb, 0xff));
    expect(decodeBase64url("+/8")).toEqual(Uint8Array.of(0xfb, 0xff));
    expect(decodeBase64url("%%")).toBeNull();
  });
});
