// Runs a task over A2A 1.0. It sends a table, follows the stream, answers the question and downloads the report.
// BOSUN_URL=http://127.0.0.1:8787 BOSUN_KEY=$(npm run -s key) npm run a2a-client
import { TaskState, type Message, type Part } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";

const { BOSUN_URL = "http://127.0.0.1:8787", BINDING = "JSONRPC" } = process.env;
const { BOSUN_KEY } = process.env;
if (BOSUN_KEY === undefined) throw new Error("Set BOSUN_KEY to an API key of the service");
const SALES = "month,region,sales\nJan,north,10\nFeb,north,12\nMar,south,15\nApr,south,11\n";

/** All A2A requests except the one for the agent card require the key. */
const fetchImpl: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("Authorization", `Bearer ${BOSUN_KEY}`);
  return fetch(input, { ...init, headers });
};
const factory = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
    ],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: [BINDING],
  }),
);
const client = await factory.createFromUrl(BOSUN_URL);

function part(content: NonNullable<Part["content"]>, filename = "", mediaType = ""): Part {
  return { content, filename, mediaType, metadata: undefined };
}

function message(parts: Part[], taskId = "", bosun: object = {}): Message {
  const ids = { messageId: crypto.randomUUID(), taskId, contextId: "" };
  return { ...ids, role: 1, parts, metadata: { bosun }, extensions: [], referenceTaskIds: [] };
}

/** Sends a message and prints the task's progress. Returns the task's id and its state at the end of the stream. */
async function follow(sent: Message): Promise<{ id: string; state: TaskState | undefined }> {
  const request = { tenant: "", message: sent, configuration: undefined, metadata: undefined };
  let id = "";
  let state: TaskState | undefined;
  for await (const { payload } of client.sendMessageStream(request)) {
    if (payload?.$case === "artifactUpdate") print(payload.value.artifact?.parts ?? []);
    if (payload?.$case !== "task" && payload?.$case !== "statusUpdate") continue;
    id = payload.$case === "task" ? payload.value.id : payload.value.taskId;
    state = payload.value.status?.state;
    console.log(`${TaskState[state ?? 0]} ${wordsIn(payload.value.status?.message?.parts ?? [])}`);
  }
  return { id, state };
}

const wordsIn = (parts: readonly Part[]) =>
  parts.flatMap(({ content }) => (content?.$case === "text" ? [content.value] : [])).join(" ");

function print(parts: readonly Part[]): void {
  for (const { content, filename, mediaType } of parts) {
    if (content?.$case === "text") console.log(`  ${content.value}`);
    if (content?.$case === "url") console.log(`  ${filename} (${mediaType}): ${content.value}`);
  }
}

const asked = await follow(
  message(
    [
      part({ $case: "text", value: "Describe the sales" }),
      part({ $case: "text", value: SALES }, "sales.csv", "text/csv"),
      part({ $case: "data", value: { askFirst: "Who is it for?" } }),
    ],
    "",
    { deliverables: ["report"], priority: "high" },
  ),
);
if (asked.state === TaskState.TASK_STATE_INPUT_REQUIRED) {
  await follow(message([part({ $case: "text", value: "For the board." })], asked.id));
}
const task = await client.getTask({ tenant: "", id: asked.id });
const report = task.artifacts.find(({ name }) => name === "report.md")?.parts[0]?.content;
// File links are valid for an hour and require no key.
if (report?.$case === "url") console.log(`\n${await (await fetch(report.value)).text()}`);
