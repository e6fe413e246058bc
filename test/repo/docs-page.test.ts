import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";

const SCRIPT = readFileSync("src/interfaces/docs/page/start.js", "utf8");

/**
 * Runs the script of the /docs page in a tab opened at `hash`. Returns the keys and addresses that
 * it sets.
 */
function open(hash: string, tab = new Map<string, string>()) {
  const keys: unknown[][] = [];
  const addresses: unknown[] = [];
  const query = { matches: false, addEventListener: () => {} };
  const page = { preauthorizeApiKey: (...given: unknown[]) => keys.push(given) };
  let complete = (): void => {};
  runInNewContext(SCRIPT, {
    URLSearchParams,
    matchMedia: () => query,
    document: {
      documentElement: { classList: { toggle: () => {} } },
      getElementById: () => null,
    },
    location: { hash, pathname: "/docs" },
    history: { replaceState: (...given: unknown[]) => addresses.push(given[2]) },
    sessionStorage: {
      getItem: (name: string) => tab.get(name) ?? null,
      setItem: (name: string, value: string) => tab.set(name, value),
    },
    SwaggerUIBundle: ({ onComplete }: { onComplete: () => void }) => {
      complete = onComplete;
      return page;
    },
  });
  complete();
  return { keys, addresses, tab };
}

describe("the page at /docs", () => {
  it("the page takes the key from its link, removes it from the address, and keeps it for a reload", () => {
    const first = open("#key=bsn_1");
    expect(first.keys).toEqual([["bearerAuth", "bsn_1"]]);
    expect(first.addresses).toEqual(["/docs"]);
    const reloaded = open("#/Tools/listTools", first.tab);
    expect(reloaded.keys).toEqual([["bearerAuth", "bsn_1"]]);
    expect(reloaded.addresses).toEqual([]);
  });

  it("the page sets no key for a link without one, and requests none from the server", () => {
    expect(open("#/Tools/listTools").keys).toEqual([]);
    expect(SCRIPT).not.toContain("fetch(");
  });
});
