import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const FILES = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
  .map((file) => file.replaceAll("\\", "/"));

/** What each file of `src` imports: files of `src` by path, packages by name. */
const IMPORTS = new Map(FILES.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const source = readFileSync(join("src", file), "utf8");
  // Not the word in quotes, as the reserved id "import" stands in the catalogue.
  const specifiers = source.matchAll(/(?<!")\b(?:from|import)\s*\(?\s*"([^"]+)"/g);
  return [...specifiers].map(([, specifier = ""]) =>
    specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier,
  );
}

/** Imports, as "file → import", of files that `from` selects to what `to` selects. */
function arrows(from: (file: string) => boolean, to: (imported: string) => boolean): string[] {
  return [...IMPORTS]
    .filter(([file]) => from(file))
    .flatMap(([file, imported]) => imported.filter(to).map((one) => `${file} → ${one}`));
}

const isPackage = (name: string) => (imported: string) =>
  imported === name || imported.startsWith(`${name}/`);
const isIn =
  (...folders: string[]) =>
  (file: string) =>
    folders.some((folder) => file.startsWith(`${folder}/`));
const isRoute = (file: string) => /(^|\/)routes\.ts$/.test(file);
const isObject = (file: string) => file.endsWith(".object.ts");
const isStore = (file: string) => file.endsWith(".store.ts");
const isRoot = (file: string) => ["app.ts", "index.ts"].includes(file);

describe("imports", () => {
  it("the test sees the files and their imports", () => {
    expect(FILES.length).toBeGreaterThan(60);
    expect(IMPORTS.get("app.ts")).toContain("tasks/api/routes.ts");
  });

  it("only app.ts, index.ts, http, interfaces and routes import hono", () => {
    const other = (file: string) =>
      !isRoot(file) && !isRoute(file) && !isIn("http", "interfaces")(file);
    expect(arrows(other, isPackage("hono"))).toEqual([]);
  });

  it("only platform/d1 and stores import drizzle", () => {
    const other = (file: string) => !isIn("platform/d1")(file) && !isStore(file);
    expect(arrows(other, isPackage("drizzle-orm"))).toEqual([]);
  });

  it("only Durable Objects import cloudflare:workers", () => {
    expect(arrows((file) => !isObject(file), isPackage("cloudflare:workers"))).toEqual([]);
  });

  it("only index.ts imports app.ts and Durable Objects", () => {
    const isImported = (file: string) => file === "app.ts" || isObject(file);
    expect(arrows((file) => file !== "index.ts", isImported)).toEqual([]);
  });

  it("only app.ts and routes import routes", () => {
    expect(arrows((file) => file !== "app.ts" && !isRoute(file), isRoute)).toEqual([]);
  });

  it("only RPC contracts turn an id into a stub", () => {
    const makers = FILES.filter((file) =>
      /\.(?:idFromName|idFromString|newUniqueId)\(/.test(readFileSync(join("src", file), "utf8")),
    );
    expect(makers.filter((file) => !file.endsWith(".rpc.ts"))).toEqual([]);
    expect(makers.length).toBeGreaterThan(5);
  });

  it("what makes the API's document stays out of the Worker", () => {
    const isMaker = isIn("interfaces/openapi");
    expect(arrows((file) => !isMaker(file), isMaker)).toEqual([]);
    expect(arrows((file) => !isMaker(file), isPackage("zod-openapi"))).toEqual([]);
  });

  it("there are no utils, helpers, services, types or barrel files", () => {
    expect(
      FILES.filter((file) => /(?:^|\/)(?:utils?|helpers?|services?|types?)(?:\.ts|\/)/.test(file)),
    ).toEqual([]);
    expect(FILES.filter((file) => file.endsWith("/index.ts"))).toEqual([]);
  });
});
