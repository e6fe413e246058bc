import type { Mutant } from "./mutant.ts";

/** Checks of every request and response, before and after the routes. */
export const EDGE: readonly Mutant[] = [
  {
    name: "foreign-host",
    promise: "secrets",
    protects: "over plain HTTP the host of the URL is a loopback name",
    file: "src/http/loopback.ts",
    find: 'if (!isLoopback(url)) return { header: "Host", value: url.host };',
    replace: "",
    tests: ["test/http/loopback.test.ts"],
  },
  {
    name: "foreign-host-header",
    promise: "secrets",
    protects: "over plain HTTP the Host header is a loopback name, whatever the URL is",
    file: "src/http/loopback.ts",
    find: 'if (!namesLoopback(`http://${host}`)) return { header: "Host", value: host };',
    replace: "",
    tests: ["test/http/loopback.test.ts"],
  },
  {
    name: "foreign-origin",
    promise: "secrets",
    protects: "over plain HTTP the Origin is a loopback name",
    file: "src/http/loopback.ts",
    find: "return origin === undefined || namesLoopback(origin) ? null",
    replace: "return origin === undefined || origin !== null ? null",
    tests: ["test/http/loopback.test.ts"],
  },
  {
    name: "claimed-https",
    promise: "secrets",
    protects: "a local server checks names also of requests that claim to be HTTPS",
    file: "src/http/loopback.ts",
    find: 'if (url.protocol === "https:" && c.env.LOOPBACK_ONLY !== "true") return null;',
    replace: 'if (url.protocol === "https:") return null;',
    tests: ["test/http/loopback.test.ts"],
  },
  {
    name: "published-secret",
    promise: "secrets",
    protects: "secrets that earlier releases published are replaced",
    file: "scripts/dev-vars.ts",
    find: 'return PUBLISHED.has(createHash("sha256").update(value.trim()).digest("hex"));',
    replace: "return false;",
    tests: ["test/house/dev-vars.test.ts"],
  },
];
