import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { messageComposer } from "../../../../src/builtin/tools/message-composer/definition.ts";
import { messageComposerHandlers } from "../../../../src/builtin/tools/message-composer/handlers.ts";
import { capabilityRunner } from "../run-capability.ts";

// The largest inputs take about a second; a busy machine may take several.
vi.setConfig({ testTimeout: 20_000 });

const { result, problems } = capabilityRunner(messageComposerHandlers);

async function text(capability: string, parameters: JsonObject): Promise<string> {
  const { text: written } = await result(capability, parameters);
  return typeof written === "string" ? written : "";
}

function render(template: string, values: JsonObject = {}, format?: string) {
  return result("render-template", { template, values, ...(format !== undefined && { format }) });
}

function refused(template: string, values: JsonObject = {}) {
  return problems("render-template", { template, values });
}

describe("definition", () => {
  it("the definition lists exactly the capabilities that have handlers", () => {
    expect(messageComposer.capabilities.map(({ id }) => id)).toEqual(
      Object.keys(messageComposerHandlers),
    );
  });
});

describe("render-template", () => {
  it("a template is rendered with values, loops and filters", async () => {
    const template =
      "Dear {{ name | capitalize }},{% for item in items %} {{ item.qty }} x {{ item.name }};{% endfor %} total {{ items | map: 'qty' | sum }}.";
    const values = {
      name: "ada",
      items: [
        { qty: 2, name: "pens" },
        { qty: 3, name: "ink" },
      ],
    };
    expect(await render(template, values)).toEqual({
      text: "Dear Ada, 2 x pens; 3 x ink; total 5.",
      missing: [],
      format: "text",
    });
  });

  it("names in a template that have no value are listed once each, and no others are listed", async () => {
    const template =
      "{{ name }}{{ order.id }}{{ order.id }}{{ user.mail }}{% for i in items %}{{ i.price }}{% endfor %}{{ known }}{{ nothing }}{% if false %}{{ unreached }}{% endif %}{% assign local = 1 %}{{ local }}{{ items.size }}";
    const values = { user: null, items: [{ price: 1 }, {}], known: "", nothing: null };
    const { missing } = await render(template, values);
    expect(missing).toEqual(["name", "order.id", "user.mail", "i.price"]);
  });

  it("a template escapes values only in HTML, and not if they are piped through raw", async () => {
    const template = "<b>{{ x }}</b>{{ x | raw }}{{ list }}";
    const values = { x: `<i a="b">&'`, list: ["<", ">"] };
    expect((await render(template, values, "html"))["text"]).toBe(
      `<b>&lt;i a=&#34;b&#34;&gt;&amp;&#39;</b><i a="b">&'&lt;&gt;`,
    );
    expect((await render(template, values))["text"]).toBe(`<b><i a="b">&'</b><i a="b">&'<>`);
  });

  it("a template formats dates in UTC and US English", async () => {
    const { text: written } = await render(
      "{{ '2026-03-04T23:06:07-05:00' | date: '%A %d %B %Y %H:%M' }}",
    );
    expect(written).toBe("Thursday 05 March 2026 04:06");
  });

  it("a template reads only own properties", async () => {
    const values = { list: [1], text: "x", object: {} };
    const { text: written, missing } = await render(
      "{{ toString }}{{ list.map }}{{ object.constructor.name }}{{ object.__proto__ }}",
      values,
    );
    expect(written).toBe("");
    expect(missing).toEqual([
      "toString",
      "list.map",
      "object.constructor.name",
      "object.__proto__",
    ]);
    expect(await refused("{{ '' | valueOf }}{{ '' | constructor }}")).toHaveLength(1);
  });

  it("a template does not change the caller's values", async () => {
    const values = { counter: 5 };
    expect((await render("{% increment counter %}{% increment counter %}", values))["text"]).toBe(
      "56",
    );
    expect(values).toEqual({ counter: 5 });
  });

  it.each([
    ["a\n  {{ x | shout }}", "undefined filter: shout (line 2, column 3)"],
    ["a\n {% if x %}", "tag {% if x %} not closed (line 2, column 2)"],
    ["{% nope %}", 'tag "nope" not found (line 1, column 1)'],
    ["{{ x", 'output "{{ x" not closed (line 1, column 1)'],
    ["\n{% include 'header' %}", 'tag "include" cannot be used'],
    ["{% render 'header' %}", 'tag "render" cannot be used'],
    ["{% layout 'page' %}", 'tag "layout" cannot be used'],
    ["{% block b %}{% endblock %}", 'tag "block" cannot be used'],
    ["{{ 'x' | sha256 }}", "undefined filter: sha256"],
  ])("the template %j is rejected with the reason", async (template, message) => {
    expect(await refused(template)).toEqual([
      { path: "template", message: expect.stringContaining(message) },
    ]);
  });

  it("all problems with the parameters of a template are reported at once", async () => {
    const template = "x".repeat(100_001);
    expect(await problems("render-template", { template, values: {}, format: "pdf" })).toEqual([
      { path: "template", message: "must have at most 100,000 characters, got 100,001" },
      { path: "format", message: 'must be "text" or "html", got "pdf"' },
    ]);
  });

  it("endlessly growing text, deep nesting and long date formats are rejected", async () => {
    const doubling = `{% capture s %}ab{% endcapture %}${"{% capture s %}{{ s }}{{ s }}{% endcapture %}".repeat(40)}`;
    expect((await refused(doubling))[0]?.message).toContain("exceeds 1,000,000 characters");
    expect((await refused("{% if a %}".repeat(9_000)))[0]?.message).toContain("nested too deeply");
    const format = `%${"0".repeat(90_000)}\n`;
    expect((await refused("{{ 0 | date: format }}", { format }))[0]?.message).toContain(
      "date format",
    );
  });

  it("a result lists at most two hundred missing names, each truncated to two hundred characters", async () => {
    const { missing } = await render("{% for i in (1..300) %}{{ list[i] }}{% endfor %}", {
      list: [],
    });
    expect(missing).toHaveLength(200);
    const name = "n".repeat(1_000);
    expect((await render("{{ a[name] }}", { a: {}, name }))["missing"]).toEqual([
      `a.${"n".repeat(198)}`,
    ]);
  });
});

describe("markdown-to-html", () => {
  it("Markdown is rendered as CommonMark with tables and bare links", async () => {
    const markdown = "# Hi *you*\n\n|a|b|\n|-|-:|\n|1|2|\n\nSee https://example.com now.";
    const { html } = await result("markdown-to-html", { markdown });
    expect(html).toContain("<h1>Hi <em>you</em></h1>");
    expect(html).toContain('<td style="text-align:right">2</td>');
    expect(html).toContain('<a href="https://example.com">https://example.com</a>');
    expect(html).not.toContain("<html");
  });

  it("Markdown with a title becomes a complete page with the title escaped", async () => {
    const { html } = await result("markdown-to-html", { markdown: "x", title: "</title><script>" });
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain("<title>&lt;/title&gt;&lt;script&gt;</title>");
    expect(html).toContain("<p>x</p>");
  });

  it.each([
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](intent://x)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    '[x](https://a.b "onmouseover=")',
    "[r]\n\n[r]: javascript:alert(1)",
  ])("rendered Markdown contains no script: %s", async (markdown) => {
    const { html } = await result("markdown-to-html", { markdown });
    expect(html).not.toMatch(
      /<script|(?:href|src)="(?:javascript|vbscript|intent|data:text)|<[^>]*\son/i,
    );
  });

  it("a Markdown text and a title that are too long are both reported", async () => {
    const parameters = { markdown: "x".repeat(100_001), title: "t".repeat(301) };
    expect((await problems("markdown-to-html", parameters)).map(({ path }) => path)).toEqual([
      "markdown",
      "title",
    ]);
  });
});

describe("markdown-to-text", () => {
  it("plain text keeps link URLs and lays out tables in columns", async () => {
    const markdown =
      "Read [the docs](https://example.com/docs).\n\n|Name|Kg|\n|-|-|\n|Ada|3|\n|Bo|12|\n\n- one\n- two";
    expect((await result("markdown-to-text", { markdown }))["text"]).toBe(
      "Read the docs [https://example.com/docs].\n\nNAME   KG\nAda    3\nBo     12\n\n * one\n * two",
    );
  });

  it("plain text wraps at the given length, and does not wrap without one", async () => {
    const markdown = "word ".repeat(40);
    const wrapped = await text("markdown-to-text", { markdown, wrap: 30 });
    expect(wrapped.split("\n").every((line) => line.length <= 30)).toBe(true);
    expect(wrapped.split("\n")).toHaveLength(7);
    expect((await result("markdown-to-text", { markdown }))["text"]).not.toContain("\n");
  });

  it.each([19, 201, 30.5, -1])("a wrap of %d is rejected", async (wrap) => {
    expect(await problems("markdown-to-text", { markdown: "x", wrap })).toEqual([
      { path: "wrap", message: `must be a whole number from 20 to 200, got ${wrap}` },
    ]);
  });
});
