import * as z from "zod";
import type { ApiResponse, ApiTag, Operation } from "../../http/operation.ts";
import recordedExamples from "./examples.json" with { type: "json" };

/** The sections of the document, in order. */
export const API_TAGS: readonly ApiTag[] = [
  "Tasks",
  "Work",
  "Events",
  "Webhooks",
  "Tools",
  "Access",
  "Credentials",
  "Agents",
  "Teams",
  "Keys",
  "Service",
];

/** A response with its recorded examples. */
export interface ResponseWithExample extends Omit<ApiResponse, "content"> {
  /** A recorded value of `data`. */
  readonly example?: unknown;
  readonly content?: Readonly<
    Record<string, { readonly schema?: z.ZodType; readonly example?: unknown }>
  >;
}

/** An operation as the document shows it: with the errors of its path, and its recorded examples. */
export interface ApiOperation extends Omit<Operation, "parameters" | "responses" | "errorCodes"> {
  /** All parameters of path and query, by name. */
  readonly parameters: Readonly<
    Record<string, { readonly description: string; readonly example?: unknown }>
  >;
  /** A valid body. */
  readonly bodyExample?: unknown;
  readonly responses: readonly ResponseWithExample[];
  readonly errorCodes: readonly string[];
  /** The errors of another protocol, by status. Such an operation has no codes. */
  readonly protocolErrors?: ProtocolErrors;
}

export interface ProtocolErrors {
  readonly description: string;
  readonly schema: z.ZodType;
  /** The statuses, except 403, which also has errors of this API. */
  readonly statuses: readonly number[];
}

/** A recorded request and its responses; `examples.json` has one for each operation. */
interface RecordedExample {
  /** Parameters of path and query, by name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The `data` of each success response, by status. */
  readonly responses?: Readonly<Record<string, unknown>>;
  /** The lines of the response as Server-Sent Events. */
  readonly stream?: readonly string[];
}

/** The recorded examples, by operation id. */
export const RECORDED_EXAMPLES: Readonly<Record<string, RecordedExample>> = recordedExamples;

/** The resources that paths name: what the parameter means, and the error if there is no such resource. */
const PATH_RESOURCES: Readonly<Record<string, readonly [description: string, missing?: string]>> = {
  "/agents/:agentId": ["The agent's id.", "AGENT_NOT_FOUND"],
  "/agents/teams/:teamId": ["The team's id.", "TEAM_NOT_FOUND"],
  "/agents/keys/:id": [
    "The key's id: the part between the underscores, `bsn_<id>_…`.",
    "KEY_NOT_FOUND",
  ],
  "/agents/tasks/:id": [
    "The task's id: the 64 hex digits in the response of Create task.",
    "TASK_NOT_FOUND",
  ],
  "/agents/tasks/:id/deliverables/:name": [
    "The file's name, percent-encoded: 1 to 128 characters, without slashes and control characters, and not `.` or `..`.",
    "DELIVERABLE_NOT_FOUND",
  ],
  "/agents/tools/:id": ["The tool's id.", "TOOL_NOT_FOUND"],
  "/agents/tools/:id/capabilities/:capability": ["The capability's id.", "CAPABILITY_NOT_FOUND"],
  "/agents/tools/access/:agentId": ["The agent's id."],
  "/agents/tools/access/:agentId/:toolId": ["The tool's id.", "ACCESS_NOT_FOUND"],
  "/agents/webhooks/:id": ["The webhook's id.", "WEBHOOK_NOT_FOUND"],
  "/agents/webhooks/:id/deliveries/:deliveryId": [
    "The delivery's id, as the webhook's log shows it.",
    "DELIVERY_NOT_FOUND",
  ],
};

/** Adds to an operation the resources of its path and its recorded examples. */
export function toApiOperation(
  route: string,
  operation: Operation & { readonly protocolErrors?: ProtocolErrors },
): ApiOperation {
  const { parameters = {}, responses, errorCodes = [], ...definition } = operation;
  const recorded = RECORDED_EXAMPLES[operation.operationId] ?? {};
  const resources = listPathResources(route);
  const missing =
    operation.scope === undefined ? [] : resources.flatMap((one) => one.missing ?? []);
  const query = { ...operation.query?.shape, ...operation.handlerQuery?.shape };
  const descriptions = [
    ...resources.map(({ name, description }) => [name, description] as const),
    ...Object.entries(query).map(
      ([name, schema]) => [name, z.globalRegistry.get(schema)?.description] as const,
    ),
    ...Object.entries(parameters),
  ];
  return {
    ...definition,
    errorCodes: [...missing, ...errorCodes],
    parameters: Object.fromEntries(
      descriptions.flatMap(([name, description]) =>
        description === undefined
          ? []
          : [[name, { description, ...pickExample(recorded.parameters?.[name]) }]],
      ),
    ),
    ...("body" in recorded ? { bodyExample: recorded.body } : {}),
    responses: responses.map((one) => ({
      ...one,
      ...pickExample(recorded.responses?.[one.status]),
      ...(one.content === undefined ? {} : { content: addStream(one.content, recorded) }),
    })),
  };
}

/** The resources that a route names, such as "GET /agents/tools/:id". PUT creates the one that its path ends with. */
function listPathResources(route: string) {
  const [method, path = ""] = route.split(" ");
  return [...path.matchAll(/:(\w+)/g)].map(({ 0: { length }, 1: name = "", index }) => {
    const isCreated = method === "PUT" && index + length === path.length;
    const [description, missing] = PATH_RESOURCES[path.slice(0, index + length)] ?? [];
    return { name, description, missing: isCreated ? undefined : missing };
  });
}

function pickExample(example: unknown): { readonly example?: unknown } {
  return example === undefined ? {} : { example };
}

function addStream(
  content: NonNullable<ResponseWithExample["content"]>,
  { stream }: RecordedExample,
): NonNullable<ResponseWithExample["content"]> {
  const events = content["text/event-stream"];
  if (events === undefined || stream === undefined) return content;
  return { ...content, "text/event-stream": { ...events, example: stream.join("\n") } };
}
