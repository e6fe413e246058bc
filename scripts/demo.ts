// npm run demo [-- <name>]: shows Bosun on local D1, Durable Objects, alarms and R2. --help lists the demos.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as a2a from "./demo/a2a.ts";
import * as task from "./demo/task.ts";
import * as tools from "./demo/tools.ts";
import * as worker from "./demo/worker.ts";
import { ensureSecrets, freePort, prepareDatabase, startService } from "./local.ts";

const DEMOS = new Map(Object.entries({ task, tools, a2a, worker }));
const HELP = `Demos:
${[...DEMOS].map(([name, { TITLE }]) => `  npm run demo -- ${name.padEnd(6)}  ${TITLE}`).join("\n")}`;

const [name = "task"] = process.argv.slice(2);
if (name === "--help" || name === "-h") {
  console.log(HELP);
  process.exit(0);
}
const chosen = DEMOS.get(name);
if (chosen === undefined) {
  console.error(`There is no demo "${name}".\n\n${HELP}`);
  process.exit(2);
}
const { TITLE, demo } = chosen;
const stateDir = mkdtempSync(join(tmpdir(), "bosun-demo-"));
for (const change of ensureSecrets()) console.error(change);
console.log(`Bosun demo: ${TITLE}\n`);
console.log("Starting the service on this machine …");
prepareDatabase(stateDir);
const service = await startService({ port: await freePort(), stateDir, quiet: true });
let exitCode = 1;
try {
  exitCode = await demo(service.origin);
} finally {
  await service.stop();
  rmSync(stateDir, { recursive: true, force: true });
}
process.exit(exitCode);
