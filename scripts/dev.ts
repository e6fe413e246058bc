// npm run dev [-- --port N]: the service on this machine, with its state kept in .wrangler/state.
import { parseArgs } from "node:util";
import {
  developmentKey,
  ensureSecrets,
  isPortFree,
  prepareDatabase,
  startService,
} from "./local.ts";

const STATE_DIR = ".wrangler/state";

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

if (ensureSecrets()) console.log("Made .dev.vars from .dev.vars.example.");
console.log("Applying migrations and seed …");
prepareDatabase(STATE_DIR);
const service = await startService({ port, stateDir: STATE_DIR, quiet: false });
console.log(welcome(service.origin, developmentKey()));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void service.stop().then(() => process.exit(0)));
}
service.process.once("exit", (code) => process.exit(code ?? 0));

function welcome(origin: string, key: string): string {
  const auth = `-H "Authorization: Bearer ${key}"`;
  const json = `-H "Content-Type: application/json"`;
  return `
  Bosun is at ${origin}
  Development key: ${key}

  Try:
  curl ${auth} '${origin}/agents/tools?category=data'
  curl ${auth} ${json} ${origin}/agents/tools/table-analyst/invoke -d '{"capability":"profile","parameters":{"csv":"day,sold\\n1,10\\n2,14"}}'
  curl ${auth} ${json} ${origin}/agents/tasks -d '{"task":"Summarise the sales","context":{"csv":"day,sold\\n1,10\\n2,14\\n3,19"},"deliverables":["report"]}'
`;
}
