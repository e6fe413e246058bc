import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as plain from "../../node_modules/entities/lib/esm/decode.js";
import * as parsers from "../../node_modules/htmlparser2/node_modules/entities/dist/esm/decode.js";
import * as standIn from "../../src/builtin/tools/message-composer/sdk/entities-decode.ts";

const require = createRequire(import.meta.url);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".split("");
/** Characters that end an entity, or continue after one that needs no semicolon. */
const ENDS = [";", " ", "=", "&", "é", "#"];
const MODES = [0, 1, 2] as const;

function source(path: string): string {
  return readFileSync(join("node_modules", path), "utf8");
}

/** All scripts below a folder of node_modules. */
function sources(folder: string): string[] {
  return readdirSync(join("node_modules", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => source(join(folder, name)));
}

function namesImported(text: string, from: string): string[] {
  const pattern = new RegExp(`import \\{([^}]+)\\} from ["']${from}["']`, "g");
  return [...text.matchAll(pattern)].flatMap(([, names = ""]) =>
    names.split(",").flatMap((name) => name.trim().split(" as ")[0] || []),
  );
}

describe("the replacement of the HTML parser's entities", () => {
  it("the replacement of the entities has every member that the HTML parser imports", () => {
    const used = sources("htmlparser2/dist/esm").flatMap((text) =>
      namesImported(text, "entities/decode"),
    );
    expect(new Set(used)).toEqual(
      new Set([
        "DecodingMode",
        "EntityDecoder",
        "fromCodePoint",
        "htmlDecodeTree",
        "xmlDecodeTree",
      ]),
    );
    expect(used.filter((name) => !Object.hasOwn(standIn, name))).toEqual([]);
    expect(standIn.DecodingMode).toEqual(parsers.DecodingMode);
    expect(standIn.fromCodePoint(0x1f6a2)).toBe(parsers.fromCodePoint(0x1f6a2));
  });

  it.each([
    { what: "HTML", before: plain.htmlDecodeTree, after: standIn.htmlDecodeTree, least: 500_000 },
    { what: "XML", before: plain.xmlDecodeTree, after: standIn.xmlDecodeTree, least: 900 },
  ])(
    "every entity of $what is decoded as by version 4, including malformed ones",
    ({ before, after, least }) => {
      // Our tables are not packed; the parser's own decoder reads some packed values as letters: &zeta6.
      const own = decoderOf(plain.EntityDecoder, before);
      const other = decoderOf(standIn.EntityDecoder, after);
      const open = [""];
      let ends = 0;
      for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
        for (const letter of [...LETTERS, ...ENDS]) {
          const text: string = prefix + letter;
          if (text === "#") continue;
          const decoded = MODES.map((mode) => own(text, mode));
          const differing = MODES.filter((mode) => decoded[mode] !== other(text, mode));
          if (differing.length > 0) expect.fail(`&${text} differs in modes ${differing.join()}`);
          if (decoded[0]?.startsWith("-1") === true) open.push(text);
          else ends += 1;
        }
      }
      expect(ends).toBeGreaterThan(least);
    },
  );

  it("numeric entities are decoded as by the parser's own version, including those that are no character", () => {
    const own = decoderOf(parsers.EntityDecoder, parsers.htmlDecodeTree);
    const other = decoderOf(standIn.EntityDecoder, standIn.htmlDecodeTree);
    const codes = [0, 9, 38, 128, 159, 160, 0xd800, 0xdfff, 0xfffd, 0x10ffff, 0x110000, 2 ** 40];
    const texts = codes.flatMap((code) => [`#${code}`, `#x${code.toString(16)}`, `#X00${code}`]);
    for (const text of [...texts, "#", "#;", "#x;", "#xg", `#${"9".repeat(400)}`]) {
      for (const end of ["", ...ENDS, "a"]) {
        for (const mode of MODES) {
          expect(other(text + end, mode), `&${text}${end}`).toBe(own(text + end, mode));
        }
      }
    }
  });
});

describe("the replacement of dom-serializer", () => {
  const library = source("html-to-text/lib/html-to-text.mjs");

  it("only two formatters use dom-serializer, and no selector chooses them", () => {
    const users = library.split(/\nfunction /).filter((text) => /[^\w]render\s*\(/.test(text));
    const names = users.map((text) => text.slice(0, text.indexOf("(")).trim());
    expect(names).toEqual(["formatInlineHtml", "formatBlockHtml"]);
    const chosen = [...library.matchAll(/\bformat: '(\w+)'/g)].map(([, name]) => name);
    expect(chosen.length).toBeGreaterThan(10);
    const own = readFileSync("src/builtin/tools/message-composer/handlers.ts", "utf8");
    expect(chosen.filter((name) => name === "inlineHtml" || name === "blockHtml")).toEqual([]);
    expect(own).not.toMatch(/inlineHtml|blockHtml/);
  });

  it("no module of the HTML parser uses dom-serializer", () => {
    const folders = ["htmlparser2/dist/esm", "domhandler/lib/esm", "selderee/lib"];
    const users = folders.flatMap((folder) =>
      sources(folder).filter((text) => /dom-serializer|get(?:Outer|Inner)HTML/.test(text)),
    );
    expect(users).toEqual([]);
  });
});

describe("the replacement of side-channel", () => {
  const sample = { list: [1, { deep: ["a b", null, true] }], empty: {}, text: "ä&=" };
  const options = { arrayFormat: "indices", skipNulls: true, format: "RFC3986" } as const;

  it("qs calls only get, has and set of side-channel", () => {
    const asked = sources("qs/lib")
      .flatMap((text) => [
        ...text.matchAll(/\b(?:\w*[cC]hannel|copies|ancestors|refs|tmpSc)\.(\w+)\(/g),
      ])
      .map(([, method]) => method);
    expect(new Set(asked)).toEqual(new Set(["get", "has", "set"]));
  });

  it("qs with the replacement of side-channel writes the same output and finds cycles as before", () => {
    const [before, after] = [
      qsWith(null),
      qsWith(require("../../src/tools/connectors/http/sdk/side-channel.cjs")),
    ];
    expect(after.stringify(sample, options)).toBe(before.stringify(sample, options));
    const shared = { one: 1 };
    const twice = { first: shared, second: shared };
    expect(after.stringify(twice, options)).toBe(before.stringify(twice, options));
    const circle: Record<string, unknown> = { ...shared };
    circle["again"] = circle;
    expect(() => before.stringify(circle)).toThrow("Cyclic object value");
    expect(() => after.stringify(circle)).toThrow("Cyclic object value");
  });
});

describe("the tslib that ECharts and ZRender share", () => {
  it("the shared tslib has the version that ECharts and ZRender require", () => {
    const versions = ["echarts", "zrender"].map(
      (name) => JSON.parse(source(`${name}/package.json`)).dependencies.tslib,
    );
    const one = JSON.parse(source("echarts/node_modules/tslib/package.json")).version;
    expect(versions).toEqual([one, one]);
  });

  it("the shared tslib exports everything that ECharts and ZRender import", async () => {
    const used = ["echarts/lib", "zrender/lib"].flatMap((folder) =>
      sources(folder).flatMap((text) => namesImported(text, "tslib")),
    );
    expect(used.length).toBeGreaterThan(100);
    const text = source("echarts/node_modules/tslib/tslib.es6.js");
    const missing = [...new Set(used)].filter(
      (name) => !new RegExp(`export (?:function|var|let|const) ${name}\\b`).test(text),
    );
    expect(missing).toEqual([]);
  });
});

type Decoder =
  | typeof plain.EntityDecoder
  | typeof parsers.EntityDecoder
  | typeof standIn.EntityDecoder;

/** A decoder's results for a text after `&`: those of `write` and `end`, and everything that it emits. */
function decoderOf(Class: Decoder, tree: Uint16Array) {
  let emitted = "";
  const decoder = new Class(tree, (code, consumed) => {
    emitted += ` ${code}/${consumed}`;
  });
  return (text: string, mode: (typeof MODES)[number]): string => {
    emitted = "";
    decoder.startEntity(mode);
    const written = decoder.write(text, 0);
    const ended = written === -1 ? decoder.end() : 0;
    return `${written} ${ended}${emitted}`;
  };
}

/** A fresh copy of qs that uses this module instead of side-channel. */
function qsWith(channel: unknown): { stringify: (value: object, options?: object) => string } {
  const kept = { ...require.cache };
  for (const path of Object.keys(require.cache)) {
    if (/node_modules\/(?:qs|side-channel)\//.test(path)) delete require.cache[path];
  }
  const path = require.resolve("side-channel");
  if (channel !== null) {
    require(path);
    const module = require.cache[path];
    if (module !== undefined) module.exports = channel;
  }
  const qs = require("qs");
  Object.assign(require.cache, kept);
  return qs;
}
