// npm run demo [-- tools | a2a | worker]: shows Bosun on local D1, Durable Objects, alarms and R2.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureSecrets, freePort, prepareDatabase, startService } from "./local.ts";

const DEMOS = {
  task: () => import("./demo/task.ts"),
  tools: () => import("./demo/tools.ts"),
  a2a: () => import("./demo/a2a.ts"),
  worker: () => import("./demo/worker.ts"),
};

const [name = "task"] = process.argv.slice(2);
const chosen = Object.entries(DEMOS).find(([known]) => known === name)?.[1];
if (chosen === undefined) {
  console.error(`There is no demo ${name}; there are ${Object.keys(DEMOS).join(", ")}.`);
  process.exit(2);
}
const { TITLE, demo } = await chosen();
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
