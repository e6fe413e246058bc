// npm run demo [-- <name>]: runs a demo with local D1, Durable Objects, alarms and R2. --help lists the demos.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureSecrets, freePort, prepareDatabase, startService } from "./local.ts";

const DEMOS = {
  task: await import("./demo/task.ts"),
  tools: await import("./demo/tools.ts"),
  a2a: await import("./demo/a2a.ts"),
  worker: await import("./demo/worker.ts"),
  approval: await import("./demo/approval.ts"),
};
const HELP = `Demos:
${Object.entries(DEMOS)
  .map(([name, { TITLE }]) => `  npm run demo -- ${name.padEnd(8)}  ${TITLE}`)
  .join("\n")}`;

const CONSOLE = "To watch tasks in the console, run npm run dev and open the link that it prints.";

const [name = "task"] = process.argv.slice(2);
if (name === "--help" || name === "-h") {
  console.log(HELP);
  process.exit(0);
}
const chosen = Object.entries(DEMOS).find(([known]) => known === name)?.[1];
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
const service = await startService({ port: await freePort(), stateDir, log: "warnings" });
let exitCode = 1;
try {
  exitCode = await demo(service.origin);
  if (exitCode === 0) console.log(CONSOLE);
} finally {
  await service.stop();
  rmSync(stateDir, { recursive: true, force: true });
}
process.exit(exitCode);
