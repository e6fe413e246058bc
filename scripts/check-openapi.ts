// npm run check:openapi: lints the OpenAPI document with Redocly and Spectral, which also validate its examples, and
// checks that every operation has recorded examples.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { listMissing, listOperations } from "./examples/document.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCUMENT = join(ROOT, "dist/assets/openapi.json");
const EXAMPLES = join(ROOT, "src/interfaces/openapi/examples.json");
const REDOCLY = join(ROOT, "node_modules/@redocly/cli/bin/cli.js");

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[rulesetOf(spectralRulesets.oas), "recommended"]], rules: {} });
const findings = await spectral.run(readFileSync(DOCUMENT, "utf8"));
for (const { code, path, message } of findings) {
  console.error(`${String(code)} at ${path.join(" > ")}: ${message}`);
}

const redocly = spawnSync(
  process.execPath,
  [REDOCLY, "lint", DOCUMENT, "--extends", "recommended", "--format=json"],
  {
    encoding: "utf8",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  },
);
/** Redocly warnings that we accept, each with a pattern for the places where it appears. */
const ACCEPTED_WARNINGS = new Map([
  // The paths are not ambiguous, because `access` is reserved and cannot be a tool id, and names such as `keys` are
  // reserved and cannot be agent ids.
  [
    "no-ambiguous-paths",
    /^#\/paths\/~1agents~1(?:tools~1(?:access~1|\{id\}~1)|\{agentId\}~1(?:pause|resume)$)/,
  ],
  // The link that a browser opens to connect a tool always redirects if it succeeds.
  ["operation-2xx-response", /credentials~1authorize\/get\/responses$/],
]);

const found: { problems: Problem[] } = JSON.parse(redocly.stdout);
const problems = found.problems.filter(({ ruleId, severity, location }) => {
  const accepted = severity === "warn" ? ACCEPTED_WARNINGS.get(ruleId) : undefined;
  return accepted === undefined || !accepted.test(location[0]?.pointer ?? "");
});
for (const { ruleId, severity, message, location } of problems) {
  console.error(`${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`);
}
const operations = listOperations(JSON.parse(readFileSync(DOCUMENT, "utf8")));
const missing = listMissing(operations, JSON.parse(readFileSync(EXAMPLES, "utf8")));
for (const one of missing) console.error(`${one} has no recorded example. Run npm run examples.`);
const count = findings.length + problems.length + missing.length;
console.log(
  count === 0 ? "No problems found in openapi.json." : `Problems found in openapi.json: ${count}`,
);
process.exit(count === 0 ? 0 : 1);

/** The parts of Redocly's report that this script reads. */
interface Problem {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** The two packages' types differ only in optional and undefined properties. */
function rulesetOf(ruleset: object): RulesetDefinition {
  return ruleset as RulesetDefinition;
}
