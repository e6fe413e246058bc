import { describe, expect, it } from "vitest";
import { toFeedData } from "../../../src/events/model/feed-data.ts";
import { type JsonObject, jsonSizeOf } from "../../../src/kernel/json.ts";
import { FEED_DATA_BYTES_MAX, FEED_VALUE_BYTES_MAX } from "../../../src/events/limits.ts";

const bytes = (size: number): string => "x".repeat(size);
/**
 * A string of characters with three UTF-8 bytes each, the most that one UTF-16 code unit can take.
 */
const wide = (characters: number): string => "港".repeat(characters);
const list = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

describe("the data of an event in the feed", () => {
  it("a large work or response is replaced by its size, and a small one is kept", () => {
    const small = { page: bytes(FEED_VALUE_BYTES_MAX - 11) };
    const large = { page: bytes(FEED_VALUE_BYTES_MAX) };
    expect(toFeedData({ work: small, response: "Yes." })).toEqual({
      data: { work: small, response: "Yes." },
    });
    expect(toFeedData({ progress: 5, work: large, response: large.page })).toEqual({
      data: {
        progress: 5,
        workBytes: FEED_VALUE_BYTES_MAX + 11,
        responseBytes: FEED_VALUE_BYTES_MAX + 2,
      },
    });
  });

  it("a context is replaced by its size, even if it is small", () => {
    expect(toFeedData({ context: { year: 1702 } })).toEqual({ data: { contextBytes: 13 } });
    expect(toFeedData({ context: null })).toEqual({ data: {} });
  });

  it("an event of ordinary size is not changed", () => {
    const data = { result: { summary: bytes(8_000), insights: list(20, bytes(300)) } };
    expect(toFeedData(data)).toEqual({ data });
  });

  it.each<[string, JsonObject]>([
    [
      "a result",
      {
        result: {
          summary: wide(20_000),
          insights: list(50, wide(5_000)),
          recommendations: list(50, bytes(100)),
        },
        deliverables: list(200, bytes(100)).map((name) => ({ name })),
        calls: list(500, bytes(100)).map((problem) => ({ problem })),
      },
    ],
    ["feedback", { rating: 1, feedback: wide(5_000), issues: list(50, wide(5_000)) }],
    ["notes", { notes: wide(10_000) }],
    ["details of an error", { error: { message: wide(5_000), details: { log: bytes(16_000) } } }],
    [
      "a budget",
      {
        task: wide(4_000),
        budget: Object.fromEntries(list(2_000, "").map((_, i) => [`key-${i}`, i])),
      },
    ],
    [
      "quotes",
      {
        task: '"'.repeat(4_000),
        deliverables: list(50, '"'.repeat(128)),
        notes: '"'.repeat(10_000),
      },
    ],
  ])(
    "an event whose data is large (%s) is shortened to at most the maximum, and states its size",
    (_, data) => {
      const shown = toFeedData(data);
      expect(jsonSizeOf(shown.data)).toBeLessThanOrEqual(FEED_DATA_BYTES_MAX);
      expect(Object.keys(shown.data)).toEqual(Object.keys(data));
      expect(shown.dataBytes).toBe(jsonSizeOf(data));
    },
  );

  it("shortened text keeps its beginning, and a shortened list keeps its first items", () => {
    const summary = `Done. ${wide(20_000)}`;
    const insights = ["First.", "Second.", bytes(300_000)];
    const { data } = toFeedData({ result: { summary, insights } });
    expect(data["result"]).toMatchObject({
      summary: expect.stringMatching(/^Done\. 港{993}…$/),
      insights: ["First.", "Second.", expect.stringMatching(/^x{999}…$/)],
    });
  });
});
