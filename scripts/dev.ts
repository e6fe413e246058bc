// npm run dev [-- --port N --state FOLDER]: runs the service on this machine.
import { parseArgs } from "node:util";
import {
  developmentKey,
  ensureSecrets,
  isPortFree,
  prepareDatabase,
  signInLink,
  startService,
  type LocalService,
} from "./local.ts";
import { formatWelcome } from "./welcome.ts";

/** A service that exits earlier than this is not restarted, because it would probably fail again. */
const UPTIME_MIN_MS = 3_000;
const PARENT_CHECK_MS = 500;
const STOP_MAX_MS = 10_000;

const HELP = `Starts Bosun on this machine:
  npm run dev [-- --port N --state FOLDER]

  --port    port number, from 1 to 65535 (default: 8787)
  --state   folder for tasks, tools and files (default: .wrangler/state)`;

const { port, stateDir } = readOptions();
if (!(await isPortFree(port))) {
  console.error(
    `Port ${port} is already in use. Choose another: npm run dev -- --port ${port + 1}`,
  );
  process.exit(1);
}

for (const change of ensureSecrets()) console.log(change);
console.log("Starting the service on this machine …");
prepareDatabase(stateDir);

let isLeaving = false;
let service: LocalService | null = null;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, leave);
// npm passes SIGTERM only to its shell, so this process exits when its parent does.
const { ppid } = process;
if (process.env["npm_lifecycle_event"] === "dev") {
  setInterval(() => {
    if (process.ppid !== ppid) leave();
  }, PARENT_CHECK_MS).unref();
}
service = await started();
console.log(formatWelcome(service.origin, developmentKey(), signInLink(service.origin)));

/** Stops the service and exits. If the service is still starting or does not stop, it ends with this process. */
function leave(): void {
  if (isLeaving || service === null) process.exit(0);
  isLeaving = true;
  setTimeout(() => process.exit(1), STOP_MAX_MS).unref();
  void service.stop().then(() => process.exit(0));
}

/** Starts the service. If it exits after it has run for a while, restarts it. */
async function started(): Promise<LocalService> {
  const running = await startService({ port, stateDir, log: "activity" });
  const startedAt = Date.now();
  running.process.once("exit", (code) => {
    if (isLeaving) return;
    if (Date.now() - startedAt < UPTIME_MIN_MS) process.exit(code ?? 0);
    // Some Wrangler releases exit when a client disconnects while it is sending a body.
    console.error("\nThe local server exited. Restarting it with the same data …\n");
    void started().then(
      (next) => {
        service = next;
      },
      (error: unknown) => {
        console.error(messageOf(error));
        process.exit(1);
      },
    );
  });
  return running;
}

/** Reads the command-line options. For `--help` or an invalid option, prints the help text and exits. */
function readOptions(): { port: number; stateDir: string } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: "8787" },
        state: { type: "string", default: ".wrangler/state" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const number = Number(values.port);
    const isPort = Number.isInteger(number) && number >= 1 && number <= 65_535;
    if (isPort) return { port: number, stateDir: values.state };
    console.error(`--port must be a whole number from 1 to 65535, got ${values.port}.\n\n${HELP}`);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${HELP}`);
  }
  process.exit(2);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
