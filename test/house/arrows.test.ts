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
const isRoute = (file: string) => /(^|\/)routes\.ts$/.test(file);
const isInner = (file: string) =>
  !["app.ts", "index.ts"].includes(file) && !isRoute(file) && !file.startsWith("http/");
const STORES = new Set([
  "agents/registry.ts",
  "agents/reuse.ts",
  "agents/rows.ts",
  "agents/store.ts",
  "agents/teams/store.ts",
  "keys/store.ts",
  "tasks/directory.ts",
  "tasks/ratings.ts",
  "tools/access.ts",
  "tools/catalogue.ts",
  "tools/callable.ts",
  "tools/granted.ts",
  "tools/credentials/store.ts",
  "tools/rows.ts",
  "tools/search.ts",
  "tools/capabilities.ts",
  "tools/manage/shelf.ts",
  "webhooks/store.ts",
]);
const OBJECTS = [
  "agents/queue/object.ts",
  "events/object.ts",
  "once/object.ts",
  "tasks/object.ts",
  "tools/credentials/keeper.ts",
  "tools/meter.ts",
  "webhooks/object.ts",
];

describe("the arrows of the house go one way", () => {
  it("sees the files it judges", () => {
    expect(FILES.length).toBeGreaterThan(60);
    expect(IMPORTS.get("app.ts")).toContain("tasks/routes.ts");
  });

  it("domain uses nothing but domain", () => {
    const outside = (imported: string) => !imported.startsWith("domain/");
    expect(arrows((file) => file.startsWith("domain/"), outside)).toEqual([]);
  });

  it("hono is known to the app, routes and http alone", () => {
    expect(arrows(isInner, isPackage("hono"))).toEqual([]);
  });

  it("drizzle is known to db and the stores alone", () => {
    const elsewhere = (file: string) => !file.startsWith("db/") && !STORES.has(file);
    expect(arrows(elsewhere, isPackage("drizzle-orm"))).toEqual([]);
  });

  it("cloudflare:workers is known to the Durable Objects alone", () => {
    const elsewhere = (file: string) => !OBJECTS.includes(file);
    expect(arrows(elsewhere, isPackage("cloudflare:workers"))).toEqual([]);
  });

  it("nothing but the app and a slice's own routes import routes, and nothing but the index the app and the objects", () => {
    expect(arrows((file) => file !== "app.ts" && !isRoute(file), isRoute)).toEqual([]);
    const slices = ["agents", "events", "keys", "tasks", "tools", "webhooks"];
    for (const slice of slices) {
      const ofSlice = (file: string) => isRoute(file) && file.startsWith(`${slice}/`);
      const ofOthers = (one: string) => isRoute(one) && !one.startsWith(`${slice}/`);
      expect(arrows(ofSlice, ofOthers)).toEqual([]);
    }
    expect(
      arrows(
        (file) => file !== "index.ts",
        (one) => ["app.ts", ...OBJECTS].includes(one),
      ),
    ).toEqual([]);
  });

  it("stores import only db, domain and each other, and db only domain", () => {
    const beyond = (imported: string) =>
      !/^(?:db|domain)\//.test(imported) &&
      !isPackage("drizzle-orm")(imported) &&
      !STORES.has(imported);
    expect(arrows((file) => STORES.has(file), beyond)).toEqual([]);
  });

  it("only ports turn an id into a stub", () => {
    const makers = FILES.filter((file) =>
      /\.(?:idFromName|idFromString|newUniqueId)\(/.test(readFileSync(join("src", file), "utf8")),
    );
    expect(makers.toSorted()).toEqual([
      "agents/queue/port.ts",
      "events/port.ts",
      "once/port.ts",
      "tasks/port.ts",
      "tools/credentials/port.ts",
      "tools/port.ts",
      "webhooks/port.ts",
    ]);
  });

  it("what makes the API's document stays out of the Worker", () => {
    const isMaker = (file: string) => file.startsWith("doors/openapi/");
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
