import { readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import MarkdownIt from "markdown-it";

const ROOT = join(import.meta.dirname, "..");

/** The pages of `docs/` that the Worker serves below /docs/guides, by section, in the order of the menu. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Guides: [
    "guides/connect-an-api",
    "guides/connect-an-mcp-server",
    "guides/write-a-worker",
    "guides/models",
    "guides/connect-an-a2a-agent",
    "guides/webhooks",
    "guides/deploy",
    "guides/production",
    "guides/upgrade",
    "guides/back-up",
  ],
  Reference: [
    "reference/tasks",
    "reference/task-actions",
    "reference/events",
    "reference/tools",
    "reference/tool-calls",
    "reference/access",
    "reference/agents",
    "reference/built-in",
    "reference/keys",
    "reference/errors",
    "reference/idempotency",
    "reference/openapi",
    "reference/mcp",
    "reference/a2a",
    "reference/configuration",
  ],
  Background: [
    "architecture",
    "state-machine",
    "data-model",
    "reliability",
    "scale",
    "limitations",
  ],
};

/** A part of a page that the search finds. */
interface SearchEntry {
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

const PATHS = new Set(Object.values(SECTIONS).flat());
const urlOf = (path: string): string => `/docs/guides/${basename(path)}`;

/** The anchor that GitHub gives to a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** The static files of the guides, by path below the folder of the assets. */
export function buildGuides(): ReadonlyMap<string, string> {
  const pages = new Map([...PATHS].map((path) => [path, readPage(path)]));
  const titles = new Map([...pages].map(([path, text]) => [path, titleOf(text)]));
  const files = new Map<string, string>();
  const entries: SearchEntry[] = [];
  for (const [path, text] of pages) {
    files.set(`docs/guides/${basename(path)}.html`, formatPage(path, text, titles));
    entries.push(...searchEntries(path, text));
  }
  files.set("docs/guides/index.html", formatIndex(pages, titles));
  files.set("docs/guides-search.json", JSON.stringify(entries));
  return files;
}

/** A page without comments, which mark generated parts. */
function readPage(path: string): string {
  const text = readFileSync(join(ROOT, "docs", `${path}.md`), "utf8");
  return text.replaceAll(/^<!--.*-->\n/gm, "");
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? "";
}

function formatPage(path: string, text: string, titles: ReadonlyMap<string, string>): string {
  const markdown = new MarkdownIt({ html: false });
  markdown.renderer.rules["heading_open"] = (tokens, at) => {
    const heading = tokens[at + 1]?.content ?? "";
    return `<${tokens[at]?.tag} id="${toAnchor(heading)}">`;
  };
  markdown.renderer.rules["table_open"] = () => '<div class="table"><table>';
  markdown.renderer.rules["table_close"] = () => "</table></div>";
  // The Content-Security-Policy forbids the style attributes of aligned columns.
  markdown.renderer.rules["th_open"] = () => "<th>";
  markdown.renderer.rules["td_open"] = () => "<td>";
  const isServed: boolean[] = [];
  markdown.renderer.rules["link_open"] = (tokens, at, options, _, renderer) => {
    const token = tokens[at];
    const url = toUrl(path, String(token?.attrGet("href")));
    isServed.push(url !== null);
    if (url === null) return "";
    token?.attrSet("href", url);
    return renderer.renderToken(tokens, at, options);
  };
  markdown.renderer.rules["link_close"] = () => (isServed.pop() === true ? "</a>" : "");
  return formatHtml(titles.get(path) ?? "", formatMenu(path, titles), markdown.render(text));
}

/** The address of a link: of another guide, of another site, or null for a file of the repository. */
function toUrl(from: string, href: string): string | null {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const path = normalize(join(dirname(from), file)).replace(/\.md$/, "");
  if (!PATHS.has(path)) return null;
  return anchor === undefined ? urlOf(path) : `${urlOf(path)}#${anchor}`;
}

function formatMenu(current: string | null, titles: ReadonlyMap<string, string>): string {
  return Object.entries(SECTIONS)
    .map(([section, paths]) => {
      const items = paths.map((path) => {
        const mark = path === current ? ' aria-current="page"' : "";
        return `<li><a href="${urlOf(path)}"${mark}>${escapeHtml(titles.get(path) ?? "")}</a></li>`;
      });
      return `<h2>${section}</h2><ul>${items.join("")}</ul>`;
    })
    .join("\n");
}

function formatIndex(
  pages: ReadonlyMap<string, string>,
  titles: ReadonlyMap<string, string>,
): string {
  const markdown = new MarkdownIt({ html: false });
  const sections = Object.entries(SECTIONS).map(([section, paths]) => {
    const items = paths.map((path) => {
      const about = firstSentence(pages.get(path) ?? "");
      const title = escapeHtml(titles.get(path) ?? "");
      return `<li><a href="${urlOf(path)}">${title}</a><br />${markdown.renderInline(about)}</li>`;
    });
    return `<h2>${section}</h2><ul class="pages">${items.join("")}</ul>`;
  });
  const body = `<h1>Guides</h1>\n${sections.join("\n")}`;
  return formatHtml("Guides", formatMenu(null, titles), body);
}

/** The first sentence below the title, without links. */
function firstSentence(text: string): string {
  const paragraph = /^# .*\n\n([^#|`>-][^]*?)\n\n/m.exec(text)?.[1] ?? "";
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("\n", " ");
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
}

/** One entry for each heading, with the text below it without examples of responses. */
function searchEntries(path: string, text: string): SearchEntry[] {
  const page = titleOf(text);
  const prose = text.replaceAll(/^```json\n[^]*?^```$/gm, "");
  return prose.split(/^(?=##? )/m).flatMap((part) => {
    const heading = /^##? (.*)$/m.exec(part)?.[1];
    if (heading === undefined) return [];
    const body = part.slice(part.indexOf("\n")).replaceAll(/[`*|#]+|\]\([^)]*\)|\[/g, "");
    const plain = body.replaceAll(/\s+/g, " ").trim();
    const anchor = heading === page ? "" : `#${toAnchor(heading)}`;
    return [{ url: urlOf(path) + anchor, page, heading: heading.replaceAll("`", ""), text: plain }];
  });
}

function formatHtml(title: string, menu: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} · Bosun</title>
    <link rel="icon" type="image/svg+xml" href="/docs/icon.svg" />
    <link rel="stylesheet" href="/docs/guides.css" />
    <script src="/docs/guides.js" type="module"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header>
      <a class="brand" href="/docs/guides">Bosun</a>
      <a href="/docs/guides">Guides</a>
      <a href="/docs">API</a>
      <search><input id="search" type="search" placeholder="Search (press /)" aria-label="Search the guides" autocomplete="off" /></search>
    </header>
    <ol id="results" hidden aria-live="polite"></ol>
    <div class="columns">
      <nav aria-label="Guides">
        <details>
          <summary>All pages</summary>
          ${menu}
        </details>
      </nav>
      <main id="content">
${body}
      </main>
    </div>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
