// npm run bench:scale: measures Bosun with one, two and four directory databases and writes the results to
// docs/scale.md.
import { readFileSync, writeFileSync } from "node:fs";
import { setting } from "../scripts/proof/setting.ts";
import { createBundleFolder } from "./bundles.ts";
import { NEVER_MS, start, type Running } from "./contestants/contestant.ts";
import { runCommandName } from "./contestants/reply.ts";
import { BOSUN, BOSUN_HEADERS } from "./dialects.ts";
import { stopAll } from "./field.ts";
import { exitOnSignals } from "./leave.ts";
import { lives } from "./life.ts";
import { load, type Sample } from "./load.ts";
import { measured as digits, whole } from "./report/digits.ts";
import { figures, table, words } from "./report/table.ts";
import type { Work } from "./results.ts";
import { runRounds } from "./rounds.ts";
import { cursorIn, seed } from "./works/lists.ts";

const PAGE = "docs/scale.md";
const DATABASES = [1, 2, 4] as const;
const ROWS = 1_000_000;
const OFFSET = 10_000;
const CONNECTIONS = 16;
const READERS = 8;
const A_ROUND = 200;

interface Sharded extends Running {
  readonly databases: number;
}

const rounds = setting("BENCH_ROUNDS", 5, 1, 50);
exitOnSignals();
createBundleFolder();
const listed = await among(NEVER_MS, async (all) => {
  for (const one of all) await fill(one);
  const cursors = new Map<string, string>();
  for (const one of all) cursors.set(one.name, await cursorOf(one));
  const page = (id: string, title: string, query: (one: Sharded) => string) =>
    compared(id, title, all, (one) => ask(one, `/agents/tasks?status=completed${query(one)}`));
  return [
    await page("first", "first page, one status", () => ""),
    await page("cursor", "page after a cursor", (one) => cursors.get(one.name) ?? ""),
    await page("offset", `page at offset ${whole(OFFSET)}`, () => `&offset=${OFFSET}`),
    await compared("create", "task creation", all, create),
  ];
});
const lived = await among(0, async (all) => [
  await compared("life", "task lifecycle", all, (one) =>
    lives({ ...one, dialect: BOSUN, amount: A_ROUND }),
  ),
]);
writeSection([...listed, ...lived]);
process.exit();

/** Runs `work` with one service for each number of databases, and then stops the services. */
async function among<Value>(
  pauseMs: number,
  work: (all: readonly Sharded[]) => Promise<Value>,
): Promise<Value> {
  const running: Sharded[] = [];
  try {
    for (const databases of DATABASES) {
      const settings = { BENCH_PAUSE_MS: String(pauseMs), BENCH_DATABASES: String(databases) };
      const one = await start(named(databases), "bosun", settings);
      running.push({ ...one, databases });
    }
    return await work(running);
  } finally {
    await stopAll(running);
  }
}

function named(databases: number): string {
  return databases === 1 ? "1 database" : `${databases} databases`;
}

async function fill({ databases, send }: Sharded): Promise<void> {
  for (let place = 0; place < databases; place += 1) {
    const run = runCommandName(place);
    await send({ [run]: seed(ROWS, { of: databases, place }) });
    await send({ [run]: "ANALYZE" });
  }
}

async function cursorOf({ origin }: Sharded): Promise<string> {
  const path = "/agents/tasks?status=completed";
  const answer = await fetch(`${origin}${path}`, { headers: BOSUN_HEADERS });
  return cursorIn(await answer.text());
}

function ask(one: Sharded, path: string): Promise<Sample> {
  const { Authorization } = BOSUN_HEADERS;
  const request = { method: "GET", path, headers: { Authorization } } as const;
  return load({
    ...one,
    connections: READERS,
    amount: A_ROUND,
    ask: () => request,
    status: 200,
  });
}

function create(one: Sharded): Promise<Sample> {
  return load({
    ...one,
    connections: CONNECTIONS,
    amount: A_ROUND,
    ask: BOSUN.create,
    status: 201,
  });
}

function compared(
  id: string,
  title: string,
  all: readonly Sharded[],
  go: (one: Sharded) => Promise<Sample>,
): Promise<Work> {
  const turns = all.map((one) => ({ contestant: one.name, go: () => go(one) }));
  const reference = named(DATABASES[0]);
  const unit = id === "life" ? "life" : "request";
  return runRounds({ id, title, unit, reference, rounds, turns }, (line) => console.log(line));
}

function writeSection(works: readonly Work[]): void {
  const columns = [
    words("operation"),
    ...DATABASES.flatMap((count) => [
      figures(`${named(count)}, per second`),
      figures("p50 / p99, ms"),
    ]),
  ];
  const rows = works.map(({ title, entries }) => [
    title,
    ...entries.flatMap(({ figures: { perSecond, p50Ms, p99Ms } }) => [
      digits(perSecond),
      `${digits(p50Ms)} / ${digits(p99Ms)}`,
    ]),
  ]);
  const page = readFileSync(PAGE, "utf8");
  const section = /(?<=<!-- npm run bench:scale writes this table -->\n\n)[^]*?(?=\n\n)/;
  if (!section.test(page))
    throw new Error(
      `${PAGE} must contain the comment <!-- npm run bench:scale writes this table -->`,
    );
  writeFileSync(
    PAGE,
    page.replace(section, () => table(columns, rows)),
  );
}
