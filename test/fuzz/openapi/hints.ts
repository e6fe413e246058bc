import { A2A_BODIES, MCP_BODIES } from "./rpc-bodies.ts";

const PUBLIC = "https://93.184.216.34";
const SECRET = `whsec_${btoa("a-secret-of-32-bytes-for-testing")}`;
const AGENTS = ["{{agent}}", "{{agent:worker}}", "{{agent:waiting}}", "researcher"];
const TEAMS = ["{{team}}", "insights"];
const TOOLS = ["{{tool}}", "json-workbench"];
const URLS = ["https://hooks.example.com/bosun", `${PUBLIC}/v1`];

/**
 * Values that the document describes only in prose: names of existing resources, and strings in a
 * format that no schema expresses. A name in double braces refers to a resource in the pool.
 */
const HINTS: Readonly<Record<string, readonly string[]>> = {
  agentId: AGENTS,
  agents: AGENTS,
  keyId: ["root"],
  timeZone: ["UTC", "Europe/Berlin"],
  teamId: TEAMS,
  teams: TEAMS,
  toolId: TOOLS,
  // No call is made of this capability, because the fuzzer also creates policies that deny.
  tools: ["table-analyst/trend"],
  approvers: ["root"],
  expiresAfter: ["24h"],
  remember: ["task", "1h"],
  taskId: ["{{task:in_progress}}", "{{task:completed}}"],
  lease: ["{{lease}}"],
  "Bosun-Lease": ["{{lease}}"],
  capability: ["query", "fetch"],
  url: URLS,
  baseUrl: URLS,
  tokenUrl: [`${PUBLIC}/token`],
  authorizationUrl: [`${PUBLIC}/authorize`],
  issuer: [PUBLIC],
  resource: ["https://harbour.example.com/api"],
  secret: [SECRET],
  template: ['{"text":{{ text | json }}}'],
  groupBy: ["day", "agent", "tool,day", "day,agent,tool", "team,key", "label"],
  search: ["summar", "%", "_", "O'Brien"],
  cursor: ["{{cursor:tasks}}", "{{cursor:events}}", "{{cursor:grants}}", "{{cursor:audit}}"],
  expires: ["{{expires}}"],
  signature: ["{{signature}}"],
  "If-Match": ["*", '"1"', 'W/"2", "3"'],
  "If-None-Match": ["*", '"1"'],
  "Last-Event-ID": ["0", "3", "9007199254740991"],
};

export function hintsFor(name: string): readonly string[] {
  return HINTS[name] ?? [];
}

const TASKS = [
  "{{task:pending}}",
  "{{task:in_progress}}",
  "{{task:blocked}}",
  "{{task:review}}",
  "{{task:completed}}",
  "{{task:failed}}",
  "{{task:cancelled}}",
];

/** The resources that a path parameter can name, by the path up to and including the parameter. */
const NAMED: readonly (readonly [path: string, things: readonly string[]])[] = [
  ["/agents/tasks/{id}/deliverables/{name}", ["a.csv"]],
  ["/agents/tasks/{id}/calls/{callId}", ["{{call}}"]],
  ["/agents/tasks/{id}", TASKS],
  ["/agents/tools/{id}/capabilities/{capability}", ["query", "fetch"]],
  ["/agents/tools/{id}/results/{resultId}", ["{{result}}"]],
  ["/agents/tools/{id}", ["{{tool}}", "{{tool:oauth}}", "json-workbench"]],
  ["/agents/tools/access/{agentId}/{toolId}", TOOLS],
  ["/agents/tools/access/{agentId}", ["{{agent:granted}}", "researcher"]],
  ["/agents/keys/{id}", ["{{key}}"]],
  ["/agents/sessions/{id}", ["{{session}}"]],
  ["/agents/webhooks/{id}/deliveries/{deliveryId}", ["{{delivery}}"]],
  ["/agents/webhooks/{id}", ["{{webhook}}"]],
  ["/agents/policies/{id}", ["{{policy}}"]],
  ["/agents/approvals/{id}", ["{{approval}}"]],
  ["/agents/limits/{id}", ["{{limit}}"]],
  ["/agents/teams/{teamId}", TEAMS.slice(0, 1)],
  ["/agents/{agentId}", AGENTS.slice(0, 2)],
  ["/docs/{file}", ["swagger-ui.css", "page.js"]],
  ["/docs/guides/{page}", ["webhooks", "nothing"]],
  ["/console/{view}/{item}", ["json-workbench", "{{task:completed}}"]],
  ["/console/{view}", ["tasks", "tools"]],
];

/** For each operation, a resource in the state that the operation requires. */
const FITTING: Readonly<Record<string, string>> = {
  retryTask: "{{task:failed}}",
  respondToTask: "{{task:blocked}}",
  reviewTask: "{{task:review}}",
  giveFeedback: "{{task:completed}}",
  reportOnTask: "{{task:in_progress}}",
  uploadDeliverable: "{{task:in_progress}}",
  listDeliverables: "{{task:completed}}",
  downloadDeliverable: "{{task:completed}}",
  listTaskCalls: "{{task:called}}",
  getTaskCall: "{{task:called}}",
  invokeTool: "json-workbench",
  downloadResult: "format-bridge",
  connectCredentials: "{{tool:oauth}}",
  putCredentials: "{{tool}}",
  deleteCredentials: "{{tool:oauth}}",
  getCredentials: "{{tool:oauth}}",
};

/** Candidate values for a path parameter. The most useful ones are repeated. */
export function namesFor(operationId: string, path: string, parameter: string): readonly string[] {
  const upTo = path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);
  const named = NAMED.find(([one]) => one === upTo)?.[1] ?? [];
  const best = FITTING[operationId];
  return best === undefined || parameter !== "id"
    ? named
    : [...named, ...named.map(() => best), best];
}

/** Queries that succeed, for parameters that only work in combination. */
export const QUERIES: Readonly<Record<string, string>> = {
  downloadResult: "?expires={{result:expires}}&signature={{result:signature}}",
  downloadDeliverable: "?expires={{expires}}&signature={{signature}}",
};

/** Bodies that succeed, for operations whose schema and examples alone do not produce one. */
export const BODIES: Readonly<Record<string, readonly string[]>> = {
  speakMcp: MCP_BODIES,
  speakA2a: A2A_BODIES,
  invokeTool: [
    '{"capability":"query","parameters":{"document":"[1]","path":"$[0]"}}',
    '{"capability":"query","parameters":{"document":"[1]","path":"$[0]"},"agentId":"{{agent:granted}}"}',
    '{"capability":"fetch","parameters":{}}',
  ],
  simulatePolicy: [
    '{"policy":{"name":"Rare","effect":"ask","tools":["*"],"reason":"None."},"from":"2026-11-01T00:00:00Z","to":"2026-11-20T00:00:00Z"}',
    '{"policy":{"id":"rare","name":"Rare","effect":"deny","tools":["json-workbench"],"when":{"parameters.path":{"startsWith":"$"}},"reason":"None."},"from":"2026-11-20T00:00:00+01:00","to":"2026-11-26T00:00:00Z"}',
  ],
  importTool: [
    `{"id":"imported","dryRun":true,"openapi":{"document":{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"${PUBLIC}"}],"paths":{"/tides":{"get":{"operationId":"tides","responses":{}}}}}}}`,
  ],
  claimTasks: [
    '{"agentId":"{{agent:waiting}}","max":2,"waitSeconds":0}',
    '{"agentId":"{{agent:worker}}","waitSeconds":0}',
  ],
  putCredentials: [
    '{"type":"api-key","value":"k","in":"query","name":"key"}',
    `{"type":"oauth-client-credentials","tokenUrl":"${PUBLIC}/token","clientId":"a","clientSecret":"b"}`,
  ],
  registerTool: [
    `{"id":"{{fresh}}","name":"R","connector":{"type":"http","baseUrl":"${PUBLIC}"},"capabilities":[{"id":"a","request":{"method":"GET","path":"/"}}]}`,
    `{"id":"{{fresh}}","name":"R","connector":{"type":"mcp","url":"${PUBLIC}"},"capabilities":[{"id":"a","tool":"b"}]}`,
  ],
  signIn: ['{"apiKey":"{{key:reader}}"}'],
  grantAccess: ['{"agentId":"{{agent:granted}}","toolId":"json-workbench"}'],
};
