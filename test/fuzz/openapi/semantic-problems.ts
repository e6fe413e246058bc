/**
 * A field's path, and the message with which the field may be rejected although its value matches
 * the schema.
 */
type Rule = readonly [path: RegExp, message: RegExp];

const URL_RULE =
  /^must (?:be an absolute URL|start with https|have a host|not have a (?:query|fragment)|name a host|not be a private)/;
const OAUTH_URL = /^must be an absolute (?:https URL|URI) without/;
const TITLE = /^must not contain line breaks/;
const INSTANT = /^must be (?:in the future|at most \d+ years from now)/;
const SIGNING_SECRET = /^must be a Standard Webhooks secret: whsec_ followed by 24 to 64 bytes/;
const HEADER_NAME = /^must be a valid header name/;
const WEBHOOK: readonly Rule[] = [
  [/^url$/, URL_RULE],
  [/^template$/, /^(?:cannot be rendered: |is nested too deeply)/],
  [/^headers(?:\.|$)/, /^(?:must be (?:a header name|printable ASCII)|is reserved because )/],
  [/^headers\./, /^is a duplicate/],
  [/^headers$/, /^must be sent again or set to null/],
];
const CURSOR = /^must be (?:the|a) nextCursor (?:from|returned by) /;

/** The rules for credentials. `at` is a regular expression for the path prefix. */
function ofCredentials(at: string): Rule[] {
  const field = (names: string): RegExp => new RegExp(`^${at}(?:${names})$`);
  return [
    [field("tokenUrl|authorizationUrl|resource|issuer"), OAUTH_URL],
    [field("clientAuthentication"), /^must be omitted without clientSecret/],
    [field("name"), /^is required: the name of the query parameter/],
    [field("name"), HEADER_NAME],
  ];
}

const TOOL: readonly Rule[] = [
  [/^connector\.(?:baseUrl|url)$/, URL_RULE],
  [/^connector\.credential\.name$/, HEADER_NAME],
  [/^authentication\.scopes$/, /^must be empty, because only oauth has scopes/],
  [/^capabilities\[\d+\]$/, /^must have `(?:request|tool)`/],
  [/^capabilities\[\d+\]\.request$/, /^is required for an http tool/],
  [/^capabilities\[\d+\]\.request\.baseUrl$/, URL_RULE],
  [
    /^capabilities\[\d+\]\.request\.path$/,
    /^(?:has an unmatched brace|must not contain spaces|must begin with "\/")/,
  ],
  [/^capabilities\[\d+\]\.request\.body\.(?:files|styles)$/, /^must name fields of the body/],
];

const EXECUTOR: readonly Rule[] = [
  [/^executor\.(?:baseUrl|cardUrl)$/, URL_RULE],
  [/^executor\.baseUrl$/, /^points to .* address, which is not allowed$/],
  [/^executor\.baseUrl$/, /^must not have credentials in its query/],
  [/^executor\.baseUrl$/, /^is required: the base URL of the endpoint/],
  [/^executor\.apiKeyHeader$/, /^must be sent together with apiKey/],
  [/^executor\.apiKeyHeader$/, HEADER_NAME],
];

const LIMIT: readonly Rule[] = [
  [/^id$/, /^must be an id of 1 to 128 characters/],
  [/^scope(?:\.|$)/, /^must (?:have exactly one of|name an existing (?:agent|team|key|tool))/],
  [/^timeZone$/, /^must be an IANA time zone/],
  [/^limit$/, /^must be a whole number of/],
  [/^(?:measure|per)$/, /^must not be "(?:tokens|call)"/],
];

const POLICY: readonly Rule[] = [
  [/^id$/, /^must (?:not be one of the reserved words|be an id of 1 to 128 characters)/],
  [/^tools\[\d+\]$/, /^must (?:be "\*", "<tool>"|name an existing tool or capability)/],
  [/^agents\[\d+\]$/, /^must name an existing agent/],
  [/^teams\[\d+\]$/, /^must name an existing team/],
  [/^approvers\[\d+\]$/, /^must name an existing active key/],
  [/^(?:expiresAfter|remember)$/, /^must be (?:"none", "task" or )?a duration/],
  [/^when(?:[.[]|$)/, /^(?:must |is not |can never be true)/],
];

/** The pattern of the same path in the `policy` of a simulation. */
function inPolicy(path: RegExp): RegExp {
  return new RegExp(path.source.replace("^", String.raw`^policy\.`));
}

/**
 * For each operation, the rules that the document states only in prose. All other schema-valid
 * values must be accepted.
 */
const IN_WORDS: Readonly<Record<string, readonly Rule[]>> = {
  createKey: [
    [/^expiresAt$/, INSTANT],
    [/^scopes$/, /^must not contain approvals:decide, audit:read or a scope that ends in :manage/],
    [/^teamId$/, /^must be omitted if agentId is set/],
  ],
  importTool: [
    [/^openapi$/, /^(?:must contain either url or document|or mcp is required, but not both)/],
    [/^openapi\.document$/, /^must be an OpenAPI document/],
    [/^(?:openapi\.(?:url|baseUrl)|mcp\.url)$/, URL_RULE],
    [/^only\.tags$/, /^must be omitted, because MCP has no tags/],
    [/^credentials$/, /^must be omitted with openapi/],
    [/^credentials\.type$/, /^must be api-key/],
    ...ofCredentials("credentials\\."),
  ],
  registerTool: TOOL,
  updateTool: [
    ...TOOL,
    [/^capabilities$/, /^are required, because the connector type changes from http to mcp/],
    // An update cannot change the connector's type, so fields of the other type are unknown.
    [/^connector\.(?:url|baseUrl)$/, /^(?:is required|is not a known field)/],
  ],
  invokeTool: [
    [/^parameters\./, /^(?:is not a parameter of|is required)/],
    [/^agentId$/, /^must be the id of the task's own agent/],
  ],
  putCredentials: [
    [/^id$/, /^must be the id of a tool that calls another system/],
    ...ofCredentials(""),
  ],
  openConnection: [[/^ticket$/, /^was not issued by this service for this tool/]],
  finishConnection: [[/^state$/, /^(?:is required|was not issued by this service for this tool)/]],
  createLimit: LIMIT,
  putLimit: LIMIT,
  changeLimit: LIMIT,
  createPolicy: POLICY,
  putPolicy: POLICY,
  changePolicy: POLICY,
  simulatePolicy: [
    ...POLICY.map(([path, message]): Rule => [inPolicy(path), message]),
    [
      /^(?:from|to)$/,
      /^must (?:be a date-time|be before to|be at most 31 days|not be in the future)/,
    ],
    [/^cursor$/, /^must be a nextCursor from/],
  ],
  listAudit: [[/^cursor$/, /^must be (?:a nextCursor from|omitted in an export)/]],
  verifyAudit: [[/^since\.seq$/, /^must be at least \d+, because/]],
  putTeam: [[/^teamId$/, /^must be an id of 1 to 128 characters/]],
  registerAgent: EXECUTOR,
  updateAgent: EXECUTOR,
  claimTasks: [
    [
      /^agentId$/,
      /^(?:is required because this key is not bound|must be an agent with executor type worker)/,
    ],
  ],
  listTasks: [
    [/^cursor$/, CURSOR],
    [/^startDate$/, /^must not be after endDate/],
    [/^offset$/, /^must be left out/],
  ],
  listTaskCalls: [[/^cursor$/, CURSOR]],
  createTask: [
    [/^agentId$/, /^must be a member of team/],
    [/^deadline$/, INSTANT],
    [/^title$/, TITLE],
  ],
  updateTask: [
    [/^agentId$/, /^must be (?:a member of team|an enabled agent)/],
    [/^deadline$/, INSTANT],
    [/^title$/, TITLE],
    [/^budget\.maxDurationSeconds$/, /^must exceed the time that the agent has already worked/],
  ],
  getUsage: [
    [/^cursor$/, CURSOR],
    [/^from$/, /^must (?:not be after|be at most 91 days before) /],
    [
      /^groupBy$/,
      /^must be one or more of day, agent, tool, team, key, label, separated by commas/,
    ],
  ],
  listEvents: [
    [/^cursor$/, CURSOR],
    [/^type\[\d+\]$/, /^must be one of /],
    [/^from$/, /^must be omitted with a cursor/],
    [/^since$/, /^must be omitted with /],
    [/^limit$/, /^must be omitted for a stream/],
    [/^Last-Event-ID$/, /^must be the id of a message from a stream /],
  ],
  listGrants: [
    [/^cursor$/, CURSOR],
    [/^capability$/, /^requires toolId$/],
  ],
  createWebhook: [...WEBHOOK, [/^secret$/, SIGNING_SECRET]],
  updateWebhook: WEBHOOK,
  rotateWebhookSecret: [[/^secret$/, SIGNING_SECRET]],
  listDeliveries: [[/^cursor$/, CURSOR]],
};

/** A problem, as listed in an error response. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Whether a schema-valid value may be rejected with this problem. */
export function isSemanticProblem(operationId: string, { path, message }: Problem): boolean {
  const rules = IN_WORDS[operationId] ?? [];
  return rules.some(([at, rule]) => at.test(path) && rule.test(message));
}
