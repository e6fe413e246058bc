import { readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import MarkdownIt from "markdown-it";
import { drawDiagram } from "./diagram.ts";

const ROOT = join(import.meta.dirname, "..");

interface Section {
  readonly title: string;
  /** Descriptions of the pages for the index, by path in `docs/`. */
  readonly pages: Readonly<Record<string, string>>;
}

/** The pages that the Worker serves under /docs/guides, in menu order. */
const SECTIONS: readonly Section[] = [
  {
    title: "Guides",
    pages: {
      "guides/console": "See what your agents do, answer their questions and review their work.",
      "guides/connect-an-api":
        "Turn an API with an OpenAPI document into a tool, and set its credentials.",
      "guides/connect-an-mcp-server": "Turn an MCP server into a tool.",
      "guides/write-a-worker":
        "Work on tasks with your own process, in Node.js, Python or any other language.",
      "guides/models": "Let a language model complete tasks with the tools that you grant it.",
      "guides/connect-an-a2a-agent": "Give tasks to a remote agent that speaks A2A.",
      "guides/approve-dangerous-calls": "Let a person look at a call before it is made.",
      "guides/cap-what-agents-spend": "Limit money, tool calls and tokens.",
      "guides/webhooks": "Receive task events as signed messages.",
      "guides/read-the-audit-log": "Find out who changed what, verify the log and archive it.",
      "guides/deploy": "Deploy Bosun to your Cloudflare account.",
      "guides/production":
        "What to configure before you go live, which alerts to set up, and what to do if a key leaks.",
      "guides/upgrade": "Deploy a new release, or return to the previous one.",
      "guides/back-up": "Which data you can back up and restore, and what a restore changes.",
    },
  },
  {
    title: "Reference",
    pages: {
      "reference/tasks": "Create, read, list and rate tasks.",
      "reference/task-actions": "Answer questions, and change, review, retry and cancel tasks.",
      "reference/events": "A task's log, event streams, and the events of all tasks.",
      "reference/tools": "List, register, change and remove tools.",
      "reference/tool-calls": "Call tools: usage, budgets, errors and address checks.",
      "reference/access": "Grant agents access to tools.",
      "reference/agents": "Agents and teams, and how tasks are assigned and queued.",
      "reference/built-in": "The six tools and four agents that come with Bosun.",
      "reference/policies": "Deny tool calls, or make them wait for approval.",
      "reference/approvals": "Calls that people must approve, and who may decide.",
      "reference/audit": "Who changed what, when and from where.",
      "reference/spending-limits": "Limit what tool calls and models cost.",
      "reference/keys": "Keys, scopes, owners and limits.",
      "reference/errors": "The format of errors, and all error codes.",
      "reference/idempotency":
        "Repeat requests safely, and avoid overwriting other clients' changes.",
      "reference/openapi": "The OpenAPI document, the API page, and typed clients.",
      "reference/mcp": "Use Bosun from an MCP client.",
      "reference/a2a": "Use Bosun from an A2A client.",
      "reference/configuration": "The variables and secrets of a deployment.",
    },
  },
  {
    title: "Background",
    pages: {
      architecture: "The parts of Bosun, and the path of two requests through the code.",
      "state-machine": "All states of a task, and the commands that change them.",
      "data-model": "Everything that Bosun stores.",
      reliability: "What Bosun guarantees, and the tests that prove it.",
      scale: "The capacity of a single database and a single object, and how to add databases.",
      limitations: "What Bosun does not support.",
    },
  },
];

/** A section of a page in the search index. */
interface SearchEntry {
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** The paths of the served pages in `docs/`, without `.md`. */
export const GUIDE_PATHS: readonly string[] = SECTIONS.flatMap(({ pages }) => Object.keys(pages));

const urlOf = (path: string): string => `/docs/guides/${basename(path)}`;

interface Guide {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** The anchor that GitHub generates for a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** The static files of the guides, by their path in the assets folder. */
export function buildGuides(): ReadonlyMap<string, string> {
  const guides = GUIDE_PATHS.map(readGuide);
  const files = guides.map((guide): [string, string] => [
    `docs/guides/${basename(guide.path)}.html`,
    formatHtml(guide.title, formatMenu(guides, guide.path), renderGuide(guide)),
  ]);
  return new Map([
    ...files,
    ["docs/guides/index.html", formatHtml("Guides", formatMenu(guides, null), formatIndex(guides))],
    ["docs/guides-search.json", JSON.stringify(guides.flatMap(searchEntries))],
  ]);
}

/** Reads a page without its comments, which mark generated sections. */
function readGuide(path: string): Guide {
  const file = readFileSync(join(ROOT, "docs", `${path}.md`), "utf8");
  const text = file.replaceAll(/^<!--.*-->\n/gm, "");
  const title = /^# (.*)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`docs/${path}.md has no title`);
  return { path, title, text };
}

function renderGuide({ path, text }: Guide): string {
  const markdown = new MarkdownIt({ html: false });
  const { rules } = markdown.renderer;
  const renderFence = rules["fence"];
  rules["fence"] = (tokens, at, ...more) =>
    tokens[at]?.info === "mermaid"
      ? `<div class="diagram" tabindex="0">${drawDiagram(tokens[at].content)}</div>`
      : `<div tabindex="0">${renderFence?.(tokens, at, ...more)}</div>`;
  rules["heading_open"] = (tokens, at) => {
    const heading = tokens[at + 1]?.content ?? "";
    return `<${tokens[at]?.tag} id="${toAnchor(heading)}">`;
  };
  rules["table_open"] = () => '<div class="table" tabindex="0"><table>';
  rules["table_close"] = () => "</table></div>";
  // The Content-Security-Policy does not allow the style attributes of aligned columns.
  rules["th_open"] = () => "<th>";
  rules["td_open"] = () => "<td>";
  const renderImage = rules["image"];
  rules["image"] = (tokens, at, ...more) => {
    const token = tokens[at];
    token?.attrSet("src", `/docs/${basename(String(token.attrGet("src")))}`);
    return renderImage?.(tokens, at, ...more) ?? "";
  };
  const isServed: boolean[] = [];
  rules["link_open"] = (tokens, at, options, _, renderer) => {
    const token = tokens[at];
    const url = toUrl(path, String(token?.attrGet("href")));
    isServed.push(url !== null);
    if (url === null) return "";
    token?.attrSet("href", url);
    return renderer.renderToken(tokens, at, options);
  };
  rules["link_close"] = () => (isServed.pop() === true ? "</a>" : "");
  return markdown.render(text);
}

/** The address of a link to a guide or an external site; null for a link to another file in the repository. */
function toUrl(from: string, href: string): string | null {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const path = normalize(join(dirname(from), file)).replace(/\.md$/, "");
  if (!GUIDE_PATHS.includes(path)) return null;
  return anchor === undefined ? urlOf(path) : `${urlOf(path)}#${anchor}`;
}

function formatMenu(guides: readonly Guide[], current: string | null): string {
  return SECTIONS.map((section) => {
    const items = guidesOf(guides, section).map(({ path, title }) => {
      const mark = path === current ? ' aria-current="page"' : "";
      return `<li><a href="${urlOf(path)}"${mark}>${escapeHtml(title)}</a></li>`;
    });
    return `<h2>${section.title}</h2><ul>${items.join("")}</ul>`;
  }).join("\n");
}

function formatIndex(guides: readonly Guide[]): string {
  const sections = SECTIONS.map((section) => {
    const items = guidesOf(guides, section).map(
      ({ path, title }) =>
        `<li><a href="${urlOf(path)}">${escapeHtml(title)}</a><br />${escapeHtml(section.pages[path] ?? "")}</li>`,
    );
    return `<h2>${section.title}</h2><ul class="pages">${items.join("")}</ul>`;
  });
  return `<h1>Bosun: guides and reference</h1>\n${sections.join("\n")}`;
}

function guidesOf(guides: readonly Guide[], { pages }: Section): readonly Guide[] {
  return guides.filter(({ path }) => Object.hasOwn(pages, path));
}

/** Creates an entry for each heading of level 1 or 2, with the text below it except for JSON blocks. */
function searchEntries({ path, title: page, text }: Guide): SearchEntry[] {
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
    <p id="found" role="status"></p>
    <ol id="results" hidden></ol>
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
