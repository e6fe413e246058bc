import { isJsonObject, type Json, type JsonObject } from "../../src/kernel/json.ts";

/** A response that shows a new secret to the client that requested it. */
interface ShownOnce {
  readonly method: string;
  readonly path: RegExp;
  readonly what: string;
  /** Returns the secrets in the response's JSON. */
  readonly secretsIn: (body: JsonObject) => readonly (Json | undefined)[];
}

/** All responses that may contain a secret. No other response may, for any client. */
export const SHOWN_ONCE: readonly ShownOnce[] = [
  {
    method: "POST",
    path: /^\/agents\/keys$/,
    what: "a key",
    secretsIn: (body) => [inside(body, "data", "key")],
  },
  {
    method: "POST",
    path: /^\/agents\/webhooks$/,
    what: "a webhook's secret",
    secretsIn: (body) => [inside(body, "data", "secret")],
  },
  {
    method: "POST",
    path: /^\/agents\/webhooks\/[^/]+\/secret$/,
    what: "a webhook's secret",
    secretsIn: (body) => [inside(body, "data", "secret")],
  },
  {
    method: "POST",
    path: /^\/agents\/tasks\/claim$/,
    what: "a lease",
    secretsIn: (body) => leasesIn(inside(body, "data", "tasks")),
  },
  {
    method: "POST",
    path: /^\/mcp$/,
    what: "a lease",
    secretsIn: (body) => leasesIn(inside(body, "result", "structuredContent", "tasks")),
  },
];

/** Request bodies that contain secrets. Except in SHOWN_ONCE, no response repeats these secrets. */
const SENT_SECRETS: readonly {
  readonly path: RegExp;
  readonly what: string;
  readonly names: readonly string[];
}[] = [
  {
    path: /^\/agents\/tools\/[^/]+\/credentials$/,
    what: "a tool's credentials",
    names: ["value", "clientSecret", "refreshToken"],
  },
  {
    path: /^\/agents\/webhooks(?:\/[^/]+\/secret)?$/,
    what: "a webhook's secret",
    names: ["secret"],
  },
  {
    path: /^\/agents\/tools\/import$/,
    what: "a tool's credentials",
    names: ["value", "clientSecret", "refreshToken"],
  },
  { path: /^\/agents(?:\/[^/]+)?$/, what: "an agent's key", names: ["apiKey"] },
  {
    path: /^\/(?:a2a$|a2a\/v1\/)/,
    what: "a receiver's credentials",
    names: ["token", "credentials"],
  },
];

/** Returns the secrets that a response may show, with a description. */
export function secretsShownIn(
  method: string,
  path: string,
  body: unknown,
): { readonly what: string; readonly secrets: readonly string[] } | null {
  const one = SHOWN_ONCE.find((shown) => shown.method === method && shown.path.test(path));
  if (one === undefined || !isObject(body)) return null;
  return {
    what: one.what,
    secrets: one.secretsIn(body).filter((text) => typeof text === "string"),
  };
}

/** Whether a request body sent to this path may contain a secret. */
export function bringsSecrets(path: string): boolean {
  return SENT_SECRETS.some((brought) => brought.path.test(path));
}

/**
 * Returns the values of the secret fields in a request body. Strings in other fields are not
 * secrets.
 */
export function secretsSentIn(
  path: string,
  body: unknown,
): { readonly what: string; readonly secrets: readonly string[] } | null {
  const one = SENT_SECRETS.find((brought) => brought.path.test(path));
  if (one === undefined || !isObject(body)) return null;
  return { what: one.what, secrets: textsNamed(body, one.names) };
}

/** Iterative, because some tests send bodies too deeply nested for recursion. */
function textsNamed(body: JsonObject, names: readonly string[]): string[] {
  const texts: string[] = [];
  const open: Json[] = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [name, one] of Object.entries(value)) {
      if (names.includes(name) && typeof one === "string") texts.push(one);
      else open.push(one);
    }
  }
  return texts;
}

function leasesIn(tasks: Json | undefined): (Json | undefined)[] {
  return Array.isArray(tasks) ? tasks.map((task) => inside(task, "lease", "token")) : [];
}

function inside(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, name) => (isJsonObject(at) ? at[name] : undefined),
    value,
  );
}

function isObject(body: unknown): body is JsonObject {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}
