import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

// The rules that oxlint can express are in .oxlintrc.json. They restrict static imports of a
// slice's store, runtime, objects and content.

const FILES = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
  .map((file) => file.replaceAll("\\", "/"));
const SOURCES = new Map(FILES.map((file) => [file, readFileSync(join("src", file), "utf8")]));

/**
 * All imports in `src`, including types and `import()`. Files are named by their path, packages by
 * their name.
 */
const IMPORTS = FILES.flatMap((file) =>
  // A keyword in quotes is not an import, because "import" is also a reserved id in the catalogue.
  [...(SOURCES.get(file) ?? "").matchAll(/(?<!")\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier = ""]) => ({
      file,
      imported: specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier,
    }),
  ),
);

interface ImportRule {
  readonly rule: string;
  /** The files to which the rule applies. */
  readonly of: RegExp;
  /** The imports that the rule forbids. */
  readonly not: RegExp;
}

const RULES: readonly ImportRule[] = [
  { rule: "kernel/ imports kernel/ only", of: /^kernel\//, not: /^(?!kernel\/)/ },
  {
    rule: "platform/ imports only platform/, kernel/ and packages",
    of: /^platform\/(?!d1\/)/,
    not: /^(?!kernel\/|platform\/)[a-z]+\/.*\.ts$/,
  },
  {
    rule: "platform/d1 imports only platform/, kernel/, models and packages",
    of: /^platform\/d1\//,
    not: /^(?!kernel\/|platform\/|[a-z]+\/model\/)[a-z]+\/.*\.ts$/,
  },
  {
    rule: "http/ imports only kernel/, platform/, the models of keys and sessions, hono with its validator, and zod",
    of: /^http\//,
    not: /^(?!http\/|kernel\/|platform\/|keys\/model\/|sessions\/model\/|hono(?:\/|$)|@hono\/zod-validator$|zod$)/,
  },
  {
    rule: "model/ imports only models, limits and kernel/ (move code that needs other imports out of model/)",
    of: /\/model\//,
    not: /^(?!kernel\/|[a-z]+\/model\/|[a-z]+\/limits\.ts$)/,
  },
  {
    rule: "runtime/, objects and stores import no api/, routes, schemas or views (move pure code to model/)",
    of: /\/runtime\/|\.(?:store|object)\.ts$/,
    not: /\/api\/|\/(?:routes|schemas|view)\.ts$/,
  },
  {
    rule: "stores import only kernel/, platform/, drizzle, models, limits, the contracts of objects, and other stores",
    of: /\.store\.ts$/,
    not: /^(?!kernel\/|platform\/|drizzle-orm(?:\/|$)|.*\/model\/|.*\/limits\.ts$|.*\.(?:rpc|store)\.ts$)/,
  },
  {
    rule: "of executors and connectors, tasks/ imports only the contracts (src/index.ts provides the executor)",
    of: /^tasks\//,
    not: /^executors\/(?!contract\.ts$)|^tools\/connectors\/(?!contract\.ts$)/,
  },
  {
    rule: "only app.ts, index.ts, http/, interfaces/ and routes.ts import hono",
    of: /^(?!app\.ts|index\.ts|http\/|interfaces\/)(?!.*\/routes\.ts$)/,
    not: /^hono(?:\/|$)/,
  },
  {
    rule: "only platform/d1 and *.store.ts import drizzle (put the query into a store)",
    of: /^(?!platform\/d1\/)(?!.*\.store\.ts$)/,
    not: /^drizzle-orm(?:\/|$)/,
  },
  {
    rule: "only *.object.ts import cloudflare:workers (accept the binding as an argument)",
    of: /^(?!.*\.object\.ts$)/,
    not: /^cloudflare:/,
  },
  {
    rule: "only app.ts and routes import routes.ts",
    of: /^(?!app\.ts$)(?!.*\/routes\.ts$)/,
    not: /\/routes\.ts$/,
  },
  {
    rule: "the Worker does not import the generator of the OpenAPI document",
    of: /^(?!interfaces\/openapi\/)/,
    not: /^interfaces\/openapi\/|^zod-openapi(?:\/|$)/,
  },
];

it.each(RULES)("the imports follow the rule: $rule", ({ of, not }) => {
  const checked = IMPORTS.filter(({ file }) => of.test(file));
  expect(checked.length).toBeGreaterThan(0);
  const wrong = checked.filter(({ imported }) => not.test(imported));
  expect(wrong.map(({ file, imported }) => `${file} imports ${imported}`)).toEqual([]);
});

it("no imports form a cycle, including type imports and import()", () => {
  const left = new Set(FILES);
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    const importers = new Set(
      IMPORTS.filter(({ file, imported }) => left.has(file) && left.has(imported)).map(
        ({ file }) => file,
      ),
    );
    for (const file of left) if (!importers.has(file)) left.delete(file);
  }
  expect([...left]).toEqual([]);
});

it("model/ uses neither a clock nor randomness, and accepts such values as arguments", () => {
  const impure = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bcrypto\./;
  const models = [...SOURCES].filter(([file]) => file.includes("/model/"));
  expect(models.filter(([, source]) => impure.test(source)).map(([file]) => file)).toEqual([]);
});

it("only *.rpc.ts files turn an id into a stub", () => {
  const isStubMaker = /\.(?:idFromName|idFromString|newUniqueId)\(/;
  const makers = [...SOURCES].filter(([, source]) => isStubMaker.test(source));
  expect(makers.length).toBeGreaterThan(5);
  expect(makers.map(([file]) => file).filter((file) => !file.endsWith(".rpc.ts"))).toEqual([]);
});

it("no file has a vague noun as its name, and no file is a barrel file", () => {
  const isVague = /(?:^|\/)(?:utils?|helpers?|services?|types?)(?:\.ts|\/)|\/index\.ts$/;
  expect(FILES.filter((file) => isVague.test(file))).toEqual([]);
});
