// npm run examples: sends a request for each operation to a new local service, and writes the requests and responses
// to src/interfaces/openapi/examples.json, which supplies the examples in the OpenAPI document. Secrets and ids are
// replaced. An entry stays as it is if only times and durations differ, so the file changes only if the API has
// changed.
import { readFileSync, writeFileSync } from "node:fs";
import { recordAgents, recordEndOfAgents, recordKeys } from "./examples/agents.ts";
import { recordAudit } from "./examples/audit.ts";
import { listOperations, type ApiDocument } from "./examples/document.ts";
import { Recorder, type Entry } from "./examples/recorder.ts";
import { differOnlyInTime, replaceValues } from "./examples/replace-values.ts";
import { recordApprovals } from "./examples/approvals.ts";
import { recordLimits } from "./examples/limits.ts";
import { recordPolicies } from "./examples/policies.ts";
import { recordService } from "./examples/service.ts";
import {
  recordClaimedTask,
  recordCompletedTask,
  recordFeed,
  recordReviewedTasks,
  recordTaskEvents,
} from "./examples/tasks.ts";
import { recordCalls, recordConsent, recordTools, startLogin } from "./examples/tools.ts";
import { recordWebhooks, startReceiver } from "./examples/webhooks.ts";
import { startExample } from "./local.ts";
import { ROOT_KEY, startBosun } from "./proof/bosun.ts";
import { randomSecrets } from "./secrets.ts";

const EXAMPLES = "src/interfaces/openapi/examples.json";
/** Built-in agents pause before each step, so that a task is in a known state when it is changed. */
const AGENT_STEP_INTERVAL_MS = "500";
const CREDENTIALS_KEY_ID = "2026-11";

const servers: { stop(): Promise<void> }[] = [];
let recorded: Record<string, Entry>;
try {
  recorded = await record();
} finally {
  await Promise.all(servers.map((server) => server.stop()));
}

const before: Record<string, Entry> = JSON.parse(readFileSync(EXAMPLES, "utf8"));
const lines = Object.entries(recorded).map(([id, entry]) => {
  const kept = differOnlyInTime(entry, before[id]) ? before[id] : entry;
  if (kept === entry) console.log(`${id}: recorded`);
  return `  "${id}": ${JSON.stringify(kept)}`;
});
writeFileSync(EXAMPLES, `{\n${lines.join(",\n")}\n}\n`);

async function record(): Promise<Record<string, Entry>> {
  const harbour = started(await startExample("harbour"));
  const receiver = started(await startReceiver());
  const login = started(await startLogin());
  const { CREDENTIALS_KEY } = randomSecrets(CREDENTIALS_KEY_ID);
  const variables = { ALLOW_PRIVATE_EGRESS: "true", AGENT_STEP_INTERVAL_MS, CREDENTIALS_KEY };
  const { origin } = started(await startBosun({ variables }));
  const document: ApiDocument = await (await fetch(`${origin}/openapi.json`)).json();
  const recorder = new Recorder(origin, ROOT_KEY, listOperations(document));
  const hook = `${receiver.origin}/bosun`;
  await recordService(recorder);
  await recordAgents(recorder);
  await recordTools(recorder, harbour.origin);
  await recordPolicies(recorder);
  await recordApprovals(recorder);
  await recordAudit(recorder);
  await recordLimits(recorder);
  await recordCalls(recorder);
  await recordConsent(recorder, login.origin);
  await recordCompletedTask(recorder);
  await recordReviewedTasks(recorder);
  await recordFeed(recorder);
  await recordWebhooks(recorder, hook, () => recordTaskEvents(recorder));
  await recordClaimedTask(recorder);
  await recordKeys(recorder, hook);
  await recordEndOfAgents(recorder);
  return replaceValues(
    recorder.entries(),
    new Map([
      [origin, "https://bosun.example.com"],
      [harbour.origin, "https://harbour.example.com"],
      [receiver.origin, "https://hooks.example.com"],
      [login.origin, "https://login.example.com"],
    ]),
  );
}

/** Registers a server that must be stopped at the end. */
function started<Server extends { stop(): Promise<void> }>(server: Server): Server {
  servers.push(server);
  return server;
}
