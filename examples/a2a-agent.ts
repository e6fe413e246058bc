// A small A2A 1.0 agent that you can register with Bosun. `node examples/a2a-agent.ts [port]` serves it on this machine
// over JSON-RPC and HTTP+JSON. word-counter.ts does the actual work.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AGENT_CARD_PATH, type AgentCard } from "@a2a-js/sdk";
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import {
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
  UserBuilder,
} from "@a2a-js/sdk/server/express";
import express from "express";
import { givenPort } from "./port.ts";
import { WordCounter } from "./word-counter.ts";

const BODY = "2mb";

function cardAt(origin: string): AgentCard {
  const at = (path: string, protocolBinding: string) => ({
    url: `${origin}${path}`,
    protocolBinding,
    tenant: "",
    protocolVersion: "1.0",
  });
  return {
    name: "Word counter",
    description: "Counts the words in a text and finds its longest lines.",
    supportedInterfaces: [at("/a2a", "JSONRPC"), at("/rest", "HTTP+JSON")],
    provider: undefined,
    version: "1.0.0",
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/markdown", "application/json"],
    skills: [
      {
        id: "count-words",
        name: "Count words",
        description:
          "Counts words and lines, and finds the most common words and the longest lines.",
        tags: ["text", "statistics"],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  };
}

const app = express();
const server = app.listen(await givenPort("a2a-agent"), "127.0.0.1");
await once(server, "listening");
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const handler = new DefaultRequestHandler(
  cardAt(origin),
  new InMemoryTaskStore(),
  new WordCounter(),
);
const terms = { requestHandler: handler, userBuilder: UserBuilder.noAuthentication };
// The SDK's default limit is 100 KB, but a task's context can be larger.
app.use(express.json({ limit: BODY, type: ["application/json", "application/a2a+json"] }));
app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: handler }));
app.use("/a2a", jsonRpcHandler(terms));
app.use("/rest", restHandler(terms));
console.log(`ready ${origin}`);
process.once("SIGTERM", () => server.close(() => process.exit(0)).closeAllConnections());
