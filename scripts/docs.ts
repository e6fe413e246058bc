// npm run docs: runs the examples in the README, the guides and the reference against a new local service, and updates
// the responses on the pages where one has changed, or on all pages with --all. With --check, it changes nothing and
// fails if a response has changed.
import { execFile, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import stringify from "json-stringify-pretty-compact";
import {
  developmentKey,
  ensureSecrets,
  freePort,
  prepareDatabase,
  startExample,
  startService,
} from "./local.ts";
import { formatWelcome } from "./welcome.ts";

/** The pages with examples, in order. An example can use values from earlier responses, but only from the same page. */
const PAGES = ["README.md", ...globSync("docs/{guides,reference}/*.md").toSorted()];
const TEXT_CHARACTERS_MAX = 240;
const ITEMS_MAX = 2;
const LINE_CHARACTERS_MAX = 110;
const TASK_PATIENCE_MS = 30_000;
const POLL_MS = 100;

/** Statuses in which a task waits for a person or a worker, or has ended. */
const SETTLED = new Set(["assigned", "blocked", "review", "completed", "failed", "cancelled"]);
/** Statuses in which an approval waits for a person, or has ended. */
const SETTLED_APPROVAL = new Set(["pending", "executed", "denied"]);

/** A shell block with a curl command, directly followed by a block with the response. */
const EXAMPLE = /```sh\n(curl [^`]+?)\n```\n+```(?:json|text)\n([^`]*?)```/g;

/** The output of `npm run demo`, and of `npm run dev` when it starts. */
const OUTPUTS = /<!-- (demo|dev) -->\n```\n([^`]*?)```/g;

const check = process.argv.includes("--check");
const recordsAll = process.argv.includes("--all");
const stateDir = mkdtempSync(join(tmpdir(), "bosun-docs-"));
for (const change of ensureSecrets()) console.error(change);
prepareDatabase(stateDir);
const service = await startService({ port: await freePort(), stateDir, log: "warnings" });
const harbour = await startExample("harbour");
const everything = await startExample("everything");
const a2a = await startExample("a2a-agent");
/** The servers that the examples call, with the variables and addresses that the pages use for them. */
const SERVERS = [
  { name: "BOSUN", origin: service.origin, shown: "http://127.0.0.1:8787" },
  { name: "HARBOUR", origin: harbour.origin, shown: "http://127.0.0.1:8790" },
  { name: "EVERYTHING", origin: everything.origin, shown: "http://127.0.0.1:8791" },
  { name: "A2A", origin: a2a.origin, shown: "http://127.0.0.1:8792" },
];
const stale: string[] = [];
try {
  for (const page of PAGES) stale.push(...(await refresh(page)));
} finally {
  await Promise.all([service, harbour, everything, a2a].map((server) => server.stop()));
  rmSync(stateDir, { recursive: true, force: true });
}
for (const example of stale) console.error(`${example}\n`);
if (stale.length > 0 && check) console.error("Run `npm run docs` and review the differences.");
process.exit(stale.length > 0 && check ? 1 : 0);

/** Runs the examples on a page in order. They can use $TASK, $KEY_ID, $NEW_KEY, $LEASE and $APPROVAL from earlier
 * responses. */
async function refresh(page: string): Promise<string[]> {
  const before = readFileSync(page, "utf8");
  const seen: Record<string, string> = {
    KEY: developmentKey(),
    ...Object.fromEntries(SERVERS.map(({ name, origin }) => [name, origin])),
  };
  const changed: string[] = [];
  let after = before;
  const compare = (block: string, old: string, fresh: string, command: string): void => {
    if (before.indexOf(block) !== before.lastIndexOf(block))
      throw new Error(`${page} contains the same example twice:\n${command}`);
    after = after.replace(block, () => withAnswer(block, old, fresh));
    if (normalize(fresh) === normalize(old)) return;
    changed.push(`${page}: the output of this command has changed:\n${command}`);
  };
  for (const [block, name, output = ""] of before.matchAll(OUTPUTS)) {
    const fresh =
      name === "demo"
        ? runDemo()
        : formatWelcome(
            "http://127.0.0.1:8787",
            "bsn_root_…",
            "http://127.0.0.1:8787/console/sign-in-link?expires=…&signature=…",
          ).slice(1);
    compare(block, output, fresh, `npm run ${name}`);
  }
  for (const [block, command = "", answer = ""] of before.matchAll(EXAMPLE)) {
    compare(block, answer, await run(command, seen), command);
  }
  // All responses on a page come from one run, so an id in one response is the same in the others.
  if (!check && (recordsAll || changed.length > 0)) writeFileSync(page, after);
  return changed;
}

/** Replaces the response in a block. The response directly precedes the closing fence. */
function withAnswer(block: string, old: string, fresh: string): string {
  const fence = "```";
  return `${block.slice(0, block.length - fence.length - old.length)}${fresh}${fence}`;
}

function runDemo(): string {
  const demo = spawnSync(process.execPath, ["scripts/demo.ts"], { encoding: "utf8" });
  if (demo.status !== 0)
    throw new Error(`The demo failed with exit code ${demo.status}: ${demo.stderr}`);
  return demo.stdout.replaceAll(/^.*\bStarting the service.*\n/gm, "");
}

async function run(command: string, seen: Record<string, string>): Promise<string> {
  // This call is asynchronous so that the process notices when the service closes idle connections.
  const { stdout } = await promisify(execFile)(
    "bash",
    ["-c", command.replace(/^curl/, "curl -s")],
    {
      env: { ...process.env, ...seen },
    },
  );
  const pretty = stdout.startsWith("{") ? await prettyJson(stdout, seen) : cutLines(stdout);
  const shown = SERVERS.reduce(
    (text, server) => text.replaceAll(server.origin, server.shown),
    pretty,
  );
  return `${maskSecrets(shown)}\n`;
}

/** Shortens secrets, so that the pages show only their format. */
function maskSecrets(text: string): string {
  return text
    .replaceAll(/\bwhsec_[\w+/=]+/g, "whsec_…")
    .replaceAll(/\b(bsn_[0-9a-f]{16})_[0-9a-f]{64}/g, "$1_…");
}

async function prettyJson(text: string, seen: Record<string, string>): Promise<string> {
  const answer: unknown = JSON.parse(text);
  await remember(answer, seen);
  return stringify(shortened(answer), { maxLength: LINE_CHARACTERS_MAX });
}

/** Truncates the long lines of a response that is not JSON, such as a stream. */
function cutLines(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) =>
      line.length > LINE_CHARACTERS_MAX ? `${line.slice(0, LINE_CHARACTERS_MAX)}…` : line,
    )
    .join("\n");
}

/** Stores the values that later examples use. If the response contains a task, waits until the task has settled. */
async function remember(answer: unknown, seen: Record<string, string>): Promise<void> {
  const data = field(answer, "data");
  if (field(data, "status") !== undefined && field(data, "taskId") !== undefined) {
    seen["TASK"] = String(field(data, "taskId"));
    await settled(`${service.origin}/agents/tasks/${seen["TASK"]}`, SETTLED);
  }
  if (field(data, "key") !== undefined) {
    seen["KEY_ID"] = String(field(data, "id"));
    seen["NEW_KEY"] = String(field(data, "key"));
  }
  if (field(data, "approvalId") !== undefined) seen["APPROVAL"] = String(field(data, "approvalId"));
  if (field(data, "decisions") !== undefined)
    await settled(`${service.origin}/agents/approvals/${seen["APPROVAL"]}`, SETTLED_APPROVAL);
  const lease = field(field(field(data, "tasks"), "0"), "lease");
  if (field(lease, "token") !== undefined) seen["LEASE"] = String(field(lease, "token"));
}

async function settled(url: string, statuses: ReadonlySet<string>): Promise<void> {
  const giveUpAt = Date.now() + TASK_PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const response = await fetch(url, { headers: { Authorization: `Bearer ${developmentKey()}` } });
    const task = field(await response.json(), "data");
    if (statuses.has(String(field(task, "status"))) || field(task, "lease") !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${url} was still changing after ${TASK_PATIENCE_MS / 1_000} s`);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

/** Truncates long lists and strings with "…", as explained on the pages. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length > TEXT_CHARACTERS_MAX ? `${value.slice(0, TEXT_CHARACTERS_MAX)}…` : value;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, ITEMS_MAX).map(shortened);
    return value.length > ITEMS_MAX ? [...kept, "…"] : kept;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]));
}

/**
 * Replaces values in a response that differ between runs, such as ids, timestamps, durations and signatures. Also
 * normalises line breaks, which depend on the length of the durations.
 */
function normalize(answer: string): string {
  return (
    answer
      .replaceAll(/[0-9a-f]{64}/g, "<id>")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "<uuid>")
      .replaceAll(/bsn_[0-9a-f]{16}_…/g, "<key>")
      .replaceAll(/whk_[0-9a-f]+/g, "<webhook>")
      .replaceAll(/"nextCursor": "[\w-]+"/g, '"nextCursor": "<cursor>"')
      .replaceAll(/"(id|requestedBy)": "[0-9a-f]{16}"/g, '"$1": "<key id>"')
      .replaceAll(/"keyId": "local-[0-9a-f]{8}"/g, '"keyId": "<credentials key>"')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>")
      .replaceAll(/"(from|to|day)": "\d{4}-\d\d-\d\d"/g, '"$1": "<day>"')
      .replaceAll(/expires=\d+&signature=[\w-]+/g, "<signature>")
      .replaceAll(
        /"(?:duration|estimatedDuration|workingTime|waitingTime)": "[^"]*"/g,
        '"duration": "<duration>"',
      )
      .replaceAll(/Done in [^.]+\./g, "Done in <duration>.")
      .replaceAll(/Task [0-9a-f]{12}…/g, "Task <id>")
      .replaceAll(/\d+ bytes/g, "<size>")
      // Each earlier page adds rows to the audit log.
      .replaceAll(/"seq": \d+(?=,\s*"at")/g, '"seq": <row>')
      .replaceAll(/"(rows|lastSeq)": \d+/g, '"$1": <row>')
      .replaceAll(/curl\/[\d.]+/g, "curl/<version>")
      .replaceAll(/"durationMs": \d+/g, '"durationMs": <duration>')
      .replaceAll(/(?<=[[{])\s+|\s+(?=[\]}])/g, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}
