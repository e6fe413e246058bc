// npm run assets: builds the Worker's static files in dist/assets, namely the OpenAPI document, the page that shows it,
// the guides and the console. Wrangler and the tests run this script before they build the Worker.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { app } from "../src/app.ts";
import { buildApiDocument } from "../src/interfaces/openapi/document.ts";
import { buildConsole } from "./console.ts";
import { filesIn } from "./files-in.ts";
import { buildGuides } from "./guides.ts";

const ROOT = join(import.meta.dirname, "..");
const ASSETS = join(ROOT, "dist/assets");
const PAGE = join(ROOT, "src/interfaces/docs/page");
const IMAGES = join(ROOT, "docs/images");
const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
/** The Swagger UI files that the page needs and their licences, by the name under which they are served. */
const OF_SWAGGER_UI = {
  "swagger-ui-bundle.js": "swagger-ui-bundle.js",
  "swagger-ui.css": "swagger-ui.css",
  "swagger-ui.LICENSE.txt": "LICENSE",
  "swagger-ui.NOTICE.txt": "NOTICE",
  "swagger-ui-bundle.js.LICENSE.txt": "swagger-ui-bundle.js.LICENSE.txt",
};

const HASHED_ASSET = /^console\/assets\/.+-[\w-]{8}\.\w+$/;
/** Cloudflare ignores all rules after the first 100. */
const HEADER_RULES_MAX = 100;

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const document = buildApiDocument(app.routes, version);

const openApi = JSON.stringify(document);
const files = new Map<string, string>([["openapi.json", openApi]]);
for (const [name, text] of buildConsole(openApi)) files.set(join("console", name), text);
files.set("_headers", buildHeaders([...files.keys()]));
for (const name of readdirSync(PAGE)) files.set(join("docs", name), textOf(join(PAGE, name)));
for (const [name, source] of Object.entries(OF_SWAGGER_UI)) {
  files.set(join("docs", name), withoutSourceMap(textOf(join(SWAGGER_UI, source))));
}
const guides = buildGuides();
for (const [name, text] of guides) files.set(name, text);
files.set("docs/offline.js", fillServiceWorker(textOf(join(PAGE, "offline.js"))));
const images = readdirSync(IMAGES).map(
  (name) => [join("docs", name), readFileSync(join(IMAGES, name))] as const,
);
const contents = new Map<string, string | Buffer>([...files, ...images]);
for (const [name, content] of contents) write(join(ASSETS, name), content);
for (const name of filesIn(ASSETS))
  if (!contents.has(name)) rmSync(join(ASSETS, name), { force: true });

/**
 * The headers of the console's assets, which are served without the Worker. Files with a hash in their names never
 * change. Each of these files has its own rule, because a rule for the folder would also apply to the 404 response for a
 * file that does not exist, for example because another version is deployed.
 */
function buildHeaders(names: readonly string[]): string {
  const hashed = names.filter((name) => HASHED_ASSET.test(name));
  if (hashed.length >= HEADER_RULES_MAX)
    throw new Error(`dist/assets/_headers would have more than ${HEADER_RULES_MAX} rules`);
  const folder = `/console/assets/*
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
`;
  const rules = hashed.map(
    (name) => `/${name}\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  return [folder, ...rules].join("");
}

/** Fills in the addresses of the guides, and a cache name that changes with their content. */
function fillServiceWorker(text: string): string {
  const cached = [...guides.keys(), "docs/guides.css", "docs/guides.js", "docs/icon.svg"];
  const hash = createHash("sha256");
  for (const name of cached) hash.update(`${name}\n${files.get(name)}\n`);
  const urls = cached.map((name) => `/${name.replace(/(\/index)?\.html$/, "")}`);
  return text
    .replace("%VERSION%", hash.digest("hex").slice(0, 16))
    .replace("%FILES%", urls.join(" "));
}

/** Writes a file atomically, and only if its content has changed, because running services watch these files. */
function write(path: string, content: string | Buffer): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

function textOf(path: string): string {
  return readFileSync(path, "utf8");
}

/** Removes the reference to the source map, which is not served. */
function withoutSourceMap(text: string): string {
  return text.replace(/\n\/[/*][#@] sourceMappingURL=.*\s*$/, "");
}
