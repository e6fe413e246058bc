import { describe, expect, it } from "vitest";
import { selectMediaType } from "../../src/kernel/accept.ts";

const JSON_OR_HTML = ["application/json", "text/html"] as const;

describe("the media type that a client prefers", () => {
  it.each([
    // Browsers.
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
    [
      "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
      "text/html",
    ],
    ["text/html, */*", "text/html"],
    ["TEXT/HTML", "text/html"],
    ["text/*", "text/html"],
    ["text/html;level=1", "text/html"],
    ["text/html ; q=0.9 , application/json ; q=0.8", "text/html"],
    ["application/json;q=0, */*", "text/html"],
    // API clients.
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["application/json, text/plain, */*", "application/json"],
    ["application/json, text/html", "application/json"],
    ["text/html, application/json", "application/json"],
    ["text/html;q=0.5, application/json;q=0.9", "application/json"],
    ["text/html;q=0.5, */*;q=0.6", "application/json"],
    ["text/html;q=0, */*", "application/json"],
    ["text/event-stream, */*;q=0.1", "application/json"],
    ["application/*;q=0.7, text/html;q=0.6", "application/json"],
  ])("%j selects %s", (header, expected) => {
    expect(selectMediaType(header, JSON_OR_HTML)).toBe(expected);
  });

  it.each(["image/png", "text/html;q=0", "*/*;q=0", "application/jsonp, text/htmlx"])(
    "%j accepts neither",
    (header) => {
      expect(selectMediaType(header, JSON_OR_HTML)).toBeNull();
    },
  );

  it.each([
    "html",
    "text/html/x",
    "text/",
    "/html",
    "*/html",
    "text/html;q=2",
    "text/html;q=",
    "text/html;q=-1",
    "text/html;q=0.1234",
    "text/html;q=NaN",
    ",,;q=1",
    ";",
  ])("the invalid range %j is ignored", (range) => {
    expect(selectMediaType(range, JSON_OR_HTML)).toBe("application/json");
    expect(selectMediaType(`${range}, application/json;q=0.1`, JSON_OR_HTML)).toBe(
      "application/json",
    );
  });

  it("a long header of hostile text is read in linear time", () => {
    const header = `${"text/html;q=0.1;".repeat(20_000)},${",".repeat(20_000)}`;
    expect(selectMediaType(header, JSON_OR_HTML)).toBe("text/html");
  });
});
