// npm run dev [-- --port N]: the service on this machine, with its state kept in .wrangler/state.
import { parseArgs } from "node:util";
import {
  developmentKey,
  ensureSecrets,
  isPortFree,
  prepareDatabase,
  startService,
  type LocalService,
} from "./local.ts";
import { formatWelcome } from "./welcome.ts";

const STATE_DIR = ".wrangler/state";
/** If the service ends sooner, a restart would not help. */
const LIVED_MS = 3_000;

const { values } = parseArgs({ options: { port: { type: "string", default: "8787" } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`--port must be a whole number from 1 to 65535, got ${values.port}`);
  process.exit(2);
}
if (!(await isPortFree(port))) {
  console.error(`Port ${port} is taken. Choose another: npm run dev -- --port ${port + 1}`);
  process.exit(1);
}

for (const change of ensureSecrets()) console.log(change);
console.log("Applying migrations and seed …");
prepareDatabase(STATE_DIR);
let isLeaving = false;
let service = await started();
console.log(formatWelcome(service.origin, developmentKey()));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    isLeaving = true;
    void service.stop().then(() => process.exit(0));
  });
}

/** Starts the service, and restarts it if it ends after it has run for a while. */
async function started(): Promise<LocalService> {
  const running = await startService({ port, stateDir: STATE_DIR, quiet: false });
  const startedAt = Date.now();
  running.process.once("exit", (code) => {
    if (isLeaving) return;
    if (Date.now() - startedAt < LIVED_MS) process.exit(code ?? 0);
    // Some releases of Wrangler exit when a client disconnects in the middle of a body.
    console.error("\nThe local server ended; starting it again, with all its state …\n");
    void started().then((next) => {
      service = next;
    });
  });
  return running;
}
