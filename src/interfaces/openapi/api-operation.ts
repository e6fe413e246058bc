import type * as z from "zod";
import type { Scope } from "../../keys/model/key.ts";
import recordedExamples from "./examples.json" with { type: "json" };

export const API_TAGS = [
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
] as const;
export type ApiTag = (typeof API_TAGS)[number];

/** A success response: an envelope with `data`, or another `content`, or both. */
export interface ApiResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 304;
  readonly description: string;
  /**
   * The schema of `data`. Objects allow no unknown fields. A schema with `.meta({ id: "Task" })` becomes the
   * component of that name: clients get a type for it.
   */
  readonly data?: z.ZodType;
  /** A recorded value of `data`. */
  readonly example?: unknown;
  /** Bodies without envelope, by media type, with their schema (omitted for bytes). */
  readonly content?: Readonly<
    Record<string, { readonly schema?: z.ZodType; readonly example?: unknown }>
  >;
  /** Headers that this response always has, in addition to X-Request-Id. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The description of one route. Scope, query and body come from the schemas of its endpoint. Texts are Markdown. */
export interface ApiOperation {
  /** Unique, in camel case: the name of the method in generated clients. */
  readonly operationId: string;
  readonly tag: ApiTag;
  /** At most 60 characters, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /**
   * Who has access if the route has no scope: everybody (`public`), a signed link or a key (`link`; the
   * query parameters of the link are added automatically), or any key (`key`).
   */
  readonly access?: "public" | "link" | "key";
  /** A scope that the handler checks itself. It is added to the description, as the scope of a route is. */
  readonly scope?: Scope;
  /** All parameters of path and query, by name. */
  readonly parameters?: Readonly<
    Record<string, { readonly description: string; readonly example?: unknown }>
  >;
  /** A query that the handler reads itself, where the endpoint names none. */
  readonly query?: z.ZodObject;
  /** Request headers by name, except Authorization, Idempotency-Key and If-Match, which are added automatically. */
  readonly headers?: Readonly<
    Record<
      string,
      { readonly description: string; readonly example?: string; readonly required?: boolean }
    >
  >;
  /**
   * The meaning of every field of the body, by path: `budget.maxCost`, `items[].name`, `query.*.style`
   * (`*` is any name). The variants of a union share the meaning of a path.
   */
  readonly fields?: Readonly<Record<string, string>>;
  /**
   * Components whose fields mean the same in the body, by path: `{ limits: "KeyLimits" }`. The empty path is the
   * body itself. `fields` takes precedence.
   */
  readonly fieldsLike?: Readonly<Record<string, string>>;
  /** A valid body. */
  readonly bodyExample?: unknown;
  /** The meaning of a body of any media type, which the handler reads itself. */
  readonly rawBody?: string;
  readonly responses: readonly ApiResponse[];
  /** Error codes in addition to those that follow from the route's inputs (see listErrorCodes). */
  readonly errorCodes: readonly string[];
  /** Whether a browser that accepts HTML gets errors as pages, with the same statuses. */
  readonly hasHtmlErrors?: boolean;
  /** The errors of another protocol, by status. Such an operation has no codes. */
  readonly protocolErrors?: {
    readonly description: string;
    readonly schema: z.ZodType;
    /** The statuses, except 403, which also has errors of this API. */
    readonly statuses: readonly number[];
  };
}

/** Operations by method and path: "GET /agents/tasks/:id". `npm run assets` reports mismatches with the routes. */
export type ApiOperations = Readonly<Record<string, ApiOperation>>;

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

/** An operation without its tag and examples. */
interface OperationDefinition extends Omit<
  ApiOperation,
  "tag" | "parameters" | "bodyExample" | "errorCodes"
> {
  /** The meaning of each parameter of path and query, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly errorCodes?: readonly string[];
}

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

/** Gives the operations of one tag their tag, the resources of their paths and their recorded examples. */
export function defineOperations(
  tag: ApiTag,
  definitions: Readonly<Record<string, OperationDefinition>>,
): ApiOperations {
  return Object.fromEntries(
    Object.entries(definitions).map(([route, definition]) => [
      route,
      toOperation(route, tag, definition, RECORDED_EXAMPLES[definition.operationId] ?? {}),
    ]),
  );
}

function toOperation(
  route: string,
  tag: ApiTag,
  { parameters = {}, responses, errorCodes = [], ...definition }: OperationDefinition,
  recorded: RecordedExample,
): ApiOperation {
  const resources = listPathResources(route);
  const hasScope = definition.access === undefined || definition.scope !== undefined;
  const missing = hasScope ? resources.flatMap((one) => one.missing ?? []) : [];
  const descriptions = [
    ...resources.map(({ name, description }) => [name, description] as const),
    ...Object.entries(parameters),
  ];
  return {
    ...definition,
    errorCodes: [...missing, ...errorCodes],
    tag,
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
  content: NonNullable<ApiResponse["content"]>,
  { stream }: RecordedExample,
): NonNullable<ApiResponse["content"]> {
  const events = content["text/event-stream"];
  if (events === undefined || stream === undefined) return content;
  return { ...content, "text/event-stream": { ...events, example: stream.join("\n") } };
}

/** A success response in the envelope. */
export function respond(
  status: ApiResponse["status"],
  description: string,
  data: z.ZodType,
  more: Pick<ApiResponse, "content" | "headers"> = {},
): ApiResponse {
  return { status, description, data, ...more };
}
