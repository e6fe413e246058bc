import fc from "fast-check";
import { XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/kernel/json.ts";
import { formatBridgeHandlers } from "../../../../src/builtin/tools/format-bridge/handlers.ts";
import { answer, many, problems, text } from "../results.ts";

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

async function fromXml(content: string): Promise<Json> {
  const result = await answer(formatBridgeHandlers, "convert", {
    from: "xml",
    to: "json",
    content,
  });
  return JSON.parse(String(result["content"]));
}

async function toXml(value: Json): Promise<{ content: string; notes: Json | undefined }> {
  const parameters = { from: "json", to: "xml", content: text(value) };
  const { content, notes } = await answer(formatBridgeHandlers, "convert", parameters);
  expect(XMLValidator.validate(String(content))).toBe(true);
  return { content: String(content), notes };
}

async function problemOf(from: string, to: string, content: string): Promise<string> {
  return (await problems(formatBridgeHandlers, "convert", { from, to, content }))[0]?.message ?? "";
}

describe("reading XML", () => {
  it("XML attributes get the prefix @, text next to them becomes #text, and repeated elements become arrays", async () => {
    const xml = `<?xml version="1.0"?><!-- c -->
      <order id="1 &amp; 2" empty="">
        <item sku="a">Pen</item>
        <item>Ink &lt;blue&gt; &#233;&#x41;</item>
        <note/>
        <raw><![CDATA[<b>&amp;</b>]]></raw>
        <space>  x  </space>
      </order>`;
    expect(await fromXml(xml)).toEqual({
      order: {
        "@id": "1 & 2",
        "@empty": "",
        item: [{ "@sku": "a", "#text": "Pen" }, "Ink <blue> éA"],
        note: "",
        raw: "<b>&amp;</b>",
        space: "  x  ",
      },
    });
  });

  it("an XML entity is decoded once", async () => {
    expect(await fromXml("<a x='&amp;lt;'>&amp;amp;</a>")).toEqual({
      a: { "@x": "&lt;", "#text": "&amp;" },
    });
  });

  it("text between XML elements is collected in #text, with a note", async () => {
    const parameters = { from: "xml", to: "json", content: "<p>one <b>two</b> three</p>" };
    const { content, notes } = await answer(formatBridgeHandlers, "convert", parameters);
    expect(JSON.parse(String(content))).toEqual({ p: { b: "two", "#text": "one  three" } });
    expect(notes).toEqual(["Text between elements was collected in #text; its position was lost."]);
  });

  it("XML elements and attributes named like JavaScript's own properties are read", async () => {
    const xml =
      '<constructor toString="1"><__proto__/><hasOwnProperty constructor="x"/></constructor>';
    expect(await fromXml(xml)).toEqual(
      JSON.parse(
        '{"constructor": {"@toString": "1", "__proto__": "", "hasOwnProperty": {"@constructor": "x"}}}',
      ),
    );
  });

  it("malformed XML is rejected with the line, and two root elements are rejected", async () => {
    for (const xml of [
      "",
      "x",
      "<a>",
      "<a>\n<b></a></b>",
      "<a x=1/>",
      "<a x='1' x='2'/>",
      "<a>x</a>y",
    ]) {
      expect(await problemOf("xml", "json", xml), xml).toMatch(/must be XML: .*\(line \d\)/);
    }
    expect(await problemOf("xml", "json", "<a/><b/>")).toContain("one root");
  });

  it("XML that declares entities is rejected, and an external document type is ignored", async () => {
    const bomb = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>`;
    const file = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
    for (const xml of [bomb, file]) {
      expect(await problemOf("xml", "json", xml)).toContain("must not declare entities");
    }
    expect(await fromXml('<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a>&x;</a>')).toEqual({
      a: "&x;",
    });
  });

  const endless: [string, string][] = [
    ["elements that stay open", "<a>".repeat(100_000)],
    ["elements that are nested too deeply", `${"<a>".repeat(150)}${"</a>".repeat(150)}`],
    ["angle brackets", "<".repeat(500_000)],
    ["attributes without values", `<a ${"x ".repeat(200_000)}/>`],
    ["comments in comments", `<a>${"<!--".repeat(100_000)}</a>`],
    ["open CDATA sections", `<a>${"<![CDATA[".repeat(50_000)}</a>`],
    ["document types", "<!DOCTYPE a [".repeat(50_000)],
  ];

  it.each(endless)("XML that consists of %s is rejected", async (_, xml) => {
    expect(await problemOf("xml", "json", xml)).not.toBe("");
  });

  it("a large XML document is read", async () => {
    const rows = many(15_000, (index) => `<r n="${index}"><v>x &amp; ${index}</v></r>`).join("");
    const read = await fromXml(`<a>${rows}</a>`);
    expect(text(read).length).toBeGreaterThan(400_000);
  });
});

describe("writing XML", () => {
  it("written XML is indented, and arrays become repeated elements", async () => {
    const value = {
      order: { "@id": 7, item: ["Pen", { "@sku": "b", "#text": "Ink" }], paid: true },
    };
    expect((await toXml(value)).content).toBe(
      `${DECLARATION}<order id="7">\n  <item>Pen</item>\n  <item sku="b">Ink</item>\n  <paid>true</paid>\n</order>`,
    );
  });

  it("data without a single root element is put into a <root> element, with a note", async () => {
    const { content, notes } = await toXml([1, { a: 2 }, [3, 4]]);
    expect(content).toBe(
      `${DECLARATION}<root>\n  <item>1</item>\n  <item>\n    <a>2</a>\n  </item>\n  <item>\n    <item>3</item>\n    <item>4</item>\n  </item>\n</root>`,
    );
    expect(notes).toEqual(["The data was put into a <root> element."]);
    for (const value of ["x", { a: 1, b: 2 }, { a: [1] }, { "@a": 1 }, {}]) {
      expect((await toXml(value)).content).toContain("<root");
    }
  });

  it("names that XML does not allow are escaped, and are read back unchanged", async () => {
    const value = {
      a: { "b c": 1, "1st": 2, _x0041_: 3, "d:e": 4, "é-.·": 5, "@f g": 6, "😀": 7, "-": 8 },
    };
    const { content, notes } = await toXml(value);
    expect(content).toContain("<b_x0020_c>1</b_x0020_c>");
    expect(content).toContain("<_x0031_st>2</_x0031_st>");
    expect(content).toContain("<_x005F_x0041_>3</_x005F_x0041_>");
    expect(content).toContain("<d_x003A_e>4</d_x003A_e>");
    expect(content).toContain("<é-.·>5</é-.·>");
    expect(content).toContain('f_x0020_g="6"');
    expect(notes).toEqual([
      'Keys that are not valid XML names were escaped: keys "b c", "1st", "_x0041_", "d:e", "f g" and 2 more.',
    ]);
    expect(await fromXml(content)).toEqual({
      a: {
        "b c": "1",
        "1st": "2",
        _x0041_: "3",
        "d:e": "4",
        "é-.·": "5",
        "@f g": "6",
        "😀": "7",
        "-": "8",
      },
    });
  });

  it("declared XML prefixes are kept, and undeclared ones are escaped", async () => {
    const value = { "s:svg": { "@xmlns:s": "http://www.w3.org/2000/svg", "s:g": { "t:x": 1 } } };
    expect((await toXml(value)).content).toBe(
      `${DECLARATION}<s:svg xmlns:s="http://www.w3.org/2000/svg">\n  <s:g>\n    <t_x003A_x>1</t_x003A_x>\n  </s:g>\n</s:svg>`,
    );
  });

  it("values that XML cannot represent are counted in a note, and forbidden characters are rejected", async () => {
    const { content, notes } = await toXml({ a: { b: null, c: {}, d: [], e: "" } });
    expect(content).toBe(`${DECLARATION}<a>\n  <b/>\n  <c/>\n  <e/>\n</a>`);
    expect(notes).toEqual(["XML cannot represent nulls, empty objects or empty arrays (3 found)."]);
    expect(await problemOf("json", "xml", '{"a": {"b": "x\\u0001"}}')).toContain('"\\u0001"');
    expect(await problemOf("json", "xml", '{"a": "\\uffff"}')).toContain('under "a"');
    expect(await problemOf("json", "xml", '{"a": {"": 1}}')).toContain("empty key");
  });

  it("hostile text cannot break out of XML text, attributes or names", async () => {
    const evil = `"'><script>&]]>--><!--`;
    const { content } = await toXml({ a: { [`@${evil}`]: evil, [evil]: evil, "#text": evil } });
    expect(content).not.toContain("<script");
    expect(JSON.stringify(await fromXml(content))).toContain(JSON.stringify(evil));
  });

  it.each(["\u1680", "\uFEFF", "a\u1680b"])(
    "a key with the space character %j is unchanged after XML is written and read",
    async (key) => {
      const document = { root: { [key]: "x", b: [{ [key]: ["", ""] }, ""] } };
      expect(await fromXml((await toXml(document)).content)).toEqual(document);
    },
  );

  it("documents of text values are unchanged after XML is written and read", async () => {
    const key = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((name) => !/^@|^#text$|\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/u.test(name));
    const value = fc
      .string({ unit: "grapheme" })
      .filter(
        (content) => !/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(content),
      );
    const attributes = fc.dictionary(fc.constantFrom("@a", "@b-c"), value, {
      noNullPrototype: true,
    });
    const { node } = fc.letrec<{ node: Json }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        value,
        fc
          .tuple(
            attributes,
            fc.dictionary(
              key,
              fc.oneof(tie("node"), fc.array(tie("node"), { minLength: 2, maxLength: 3 })),
              { minKeys: 1, maxKeys: 3, noNullPrototype: true },
            ),
          )
          .map(([own, children]) => ({ ...own, ...children })),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(key, node, async (name, content) => {
        const document = { [name]: content };
        expect(await fromXml((await toXml(document)).content)).toEqual(document);
      }),
      { numRuns: 500 },
    );
  });
});
