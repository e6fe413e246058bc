import { createHash } from "node:crypto";
import type { Secrets } from "./secrets.ts";

/** SHA-256 hashes of the secrets that earlier releases published in .dev.vars.example. */
const PUBLISHED: ReadonlySet<string> = new Set([
  "1e0f21010b4bc02a1354f7e5bc05cad3b8eac86f1e6b70db997ec4c0d9b46719",
  "6eee4efc06efead2d8d419571cc22f4c57fee6961eaa4388189f36097879d935",
  "396b582ff7d45a1b185f02a8ec604c55209cc673c77d9cd5ac17e8381ad8307c",
]);

/** The text of a .dev.vars file, and descriptions of its changes to print. */
export interface DevVars {
  readonly text: string;
  readonly changes: readonly string[];
}

/**
 * Creates a .dev.vars file from the example, or adds missing variables to the existing one. Empty and published secrets
 * are replaced with those in `fresh`, except that a published encryption key stays as the second key. A published
 * `DOCS_API_KEY` is cleared, because it is no longer used. All other values are kept.
 */
export function completeDevVars(existing: string | null, example: string, fresh: Secrets): DevVars {
  if (existing === null) {
    const { text } = withSecrets(example, fresh);
    return { text, changes: ["Created .dev.vars with random secrets."] };
  }
  const missing = example.split("\n\n").filter((block) => {
    const name = /^([A-Z_]+)=/m.exec(block)?.[1];
    return name !== undefined && valueOf(existing, name) === null;
  });
  const names = missing.flatMap((block) => /^([A-Z_]+)=/m.exec(block)?.[1] ?? []);
  const whole = missing.length === 0 ? existing : [existing.trimEnd(), ...missing].join("\n\n");
  const { text, changes } = withSecrets(whole, fresh);
  const added = names.length === 0 ? [] : [`Added ${names.join(", ")} to .dev.vars.`];
  return { text, changes: [...added, ...changes] };
}

/** The value of a variable, without quotes; null if the file does not set it. */
export function valueOf(text: string, name: string): string | null {
  return assignment(name).exec(text)?.groups?.["value"] ?? null;
}

function withSecrets(text: string, fresh: Secrets): DevVars {
  const changes: string[] = [];
  let changed = text;
  const replace = (name: string, value: string, change: string): void => {
    changed = changed.replace(assignment(name), () => `${name}="${value}"`);
    changes.push(change);
  };
  for (const name of ["ROOT_API_KEY", "SIGNING_KEY"] as const) {
    const value = valueOf(text, name) ?? "";
    if (value === "") replace(name, fresh[name], `Generated ${name} in .dev.vars.`);
    else if (isPublished(value)) replace(name, fresh[name], REPLACED[name]);
  }
  const sealing = valueOf(text, "CREDENTIALS_KEY") ?? "";
  if (sealing === "") {
    replace("CREDENTIALS_KEY", fresh.CREDENTIALS_KEY, "Generated CREDENTIALS_KEY in .dev.vars.");
  } else if (isPublished(sealing.split(",")[0] ?? "")) {
    // Only the first key encrypts, but all keys decrypt, so data encrypted with the published key stays readable.
    replace("CREDENTIALS_KEY", `${fresh.CREDENTIALS_KEY},${sealing}`, NEW_SEALING_KEY);
  }
  if (isPublished(valueOf(text, "DOCS_API_KEY") ?? "")) {
    replace("DOCS_API_KEY", "", "Cleared DOCS_API_KEY in .dev.vars, because it is no longer used.");
  }
  return { text: changed, changes };
}

const REPLACED = {
  ROOT_API_KEY:
    "Replaced ROOT_API_KEY in .dev.vars, because earlier releases published its value. Use the new key (`npm run -s key` prints it).",
  SIGNING_KEY:
    "Replaced SIGNING_KEY in .dev.vars, because earlier releases published its value. Existing download links and list cursors are no longer valid.",
};
const NEW_SEALING_KEY =
  "Added a new first key to CREDENTIALS_KEY in .dev.vars, because earlier releases published the old one. The old key remains in second place to decrypt stored credentials, which are encrypted with the new key the next time they are used.";

function isPublished(value: string): boolean {
  return PUBLISHED.has(createHash("sha256").update(value.trim()).digest("hex"));
}

function assignment(name: string): RegExp {
  return new RegExp(String.raw`^${name}[ \t]*=[ \t]*(["']?)(?<value>[^"'\n]*)\1[ \t]*$`, "m");
}
