import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";
import { uploadedFileSchema } from "../api/deliverable-schemas.ts";
import * as z from "zod";
import * as schema from "../../http/schemas.ts";
import { taskFieldSchemas, taskIdSchema } from "../api/task-schemas.ts";
import { taskStatusSchema } from "../api/value-schemas.ts";

const expiresAt = schema.instant("When the worker loses the task unless it sends a report before.");
const seconds = schema.integer(
  "The duration by which each report renews the lease, in seconds, as requested by the claim.",
);

const grantedLease = schema.component("GrantedLease", "The worker's hold on the task.", {
  token: schema.text(
    "Proves that the worker holds the task. Secret; returned only once.",
    "lse_84c39c90-f351-475e-a25f-7524b8c40995",
  ),
  expiresAt,
  seconds,
});

const answer = schema.component("Answer", "A question that was asked, and its answer.", {
  question: schema.text("What was asked."),
  response: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .describe(
      "What was answered: a text or an object; null if the cause was resolved without an answer.",
    ),
});

/** The fields that a claimed task can have. */
const { agentId, agentName, teamId, task, priority, progress, currentPhase } = taskFieldSchemas;
const { timeline, attempt, attempts, createdAt, deadline, budget, spend, notes } = taskFieldSchemas;

export const claimedTaskSchema = schema.component(
  "ClaimedTask",
  "A claimed task: the task as GET returns it, with everything that is needed to start it or to continue it where another worker stopped.",
  {
    taskId: taskIdSchema,
    status: z.literal("in_progress").describe("The claim starts the work."),
    task,
    agentId,
    agentName,
    teamId,
    priority,
    progress,
    currentPhase,
    timeline,
    attempt,
    attempts,
    createdAt,
    deadline,
    budget,
    spend,
    notes,
    context: schema.freeForm("The complete input, regardless of its size."),
    deliverables: schema.textList("The requested kinds of files, such as `report`."),
    answers: z.array(answer).meta({
      description:
        "People's answers so far, oldest first: each question that was reported as `blocked`, with the `response` of …/respond. Empty after a requested retry.",
      examples: [[{ question: "Which year?", response: "1702" }]],
    }),
    reviewComments: schema.textList(
      "What reviewers want changed, oldest first; the last one sent it back.",
    ),
    work: schema.freeForm(
      "The data that earlier workers saved with `progress` and `blocked`, merged key by key.",
    ),
    files: schema.list(
      uploadedFileSchema,
      "Files already uploaded in this attempt; they will be delivered as well.",
    ),
    lease: grantedLease,
  },
);

const claimSchema = schema.component("Claim", "The tasks that the worker now holds.", {
  tasks: schema.list(
    claimedTaskSchema,
    "The most urgent first; empty if no task became available within `waitSeconds`.",
  ),
});

const reportResultSchema = schema.component("Reported", "The state of the task after a report.", {
  taskId: taskIdSchema,
  status: taskStatusSchema,
  stop: schema.flag(
    "Whether the worker should stop: it no longer holds the task, because the task has ended, is blocked, is in review or was cancelled.",
  ),
  lease: z
    .strictObject({ expiresAt, seconds })
    .optional()
    .describe("The current lease; only while the worker holds the task."),
});

/** The fields of all types of reports. */
const REPORT_FIELDS = {
  type: "What is reported; it determines the other fields.",
  lease: "The lease's token, from the claim.",
  progress: "The progress, in percent; never less than the previous report.",
  phase: "A description of the current phase; if omitted, it does not change.",
  work: "Merged key by key into the notes for the next holder of the task; at most 1 MiB in total as JSON.",
  kind: "What is needed.",
  question: "What you ask, for people to read.",
  result: "The result in words.",
  quality: "Your assessment of the work's quality; absent if it was not assessed.",
  reason: "Why the worker returns the task, for people to read.",
  error: "Why the work cannot be done.",
  "error.message": "What happened, for people to read.",
  "error.retryable": "Whether the same work may succeed another time.",
  "error.details": "Anything else about it, for programs to read; at most 16 KiB as JSON.",
};

const LEASE_TOKEN_EXAMPLE = "lse_84c39c90-f351-475e-a25f-7524b8c40995";

/** POST /agents/tasks/claim */
export const claimTasks = defineOperation({
  operationId: "claimTasks",
  tag: "Work",
  scope: "tasks:work",
  body: schemas.claimBody,
  bodyIsOptional: true,
  summary: "Claim tasks to work on",
  description: `Gives a worker the most urgent of its agent's waiting tasks, each under a **lease**: the worker holds the task until \`lease.expiresAt\`, and the reports \`heartbeat\` and \`progress\` renew the lease. The agent must have the executor \`worker\` and be enabled. Any number of workers may claim for one agent; each task goes to one of them.

If there is no task, the request waits for the first one, at most \`waitSeconds\`, and then returns an empty list: repeat the request at once. A client that disconnects stops waiting.

A worker that sends no report before its lease ends loses the task. The next attempt begins after 0.5 to 2 seconds, with the answers and, if the agent and the type of its executor stay the same, the \`work\`. After three such attempts in a row, the task fails with \`LEASE_EXPIRED\`. A worker that dies while it waits may receive one more task, which returns to the queue in the same way. When the worker's key is revoked or expires, its waiting claim ends with 401 and it loses its tasks, both within ten seconds.

A key bound to the agent needs no \`agentId\` and, for all that workers do, no scope but this one. A key bound to a team cannot claim, because an agent's tasks can belong to any team.`,
  fields: {
    agentId: "Whose tasks; required unless the key is bound to an agent.",
    worker: "The name of this worker, for people to read.",
    max: "The maximum number of tasks. Their leases start immediately.",
    waitSeconds: "How long to wait for the first task, in seconds; 0 does not wait.",
    leaseSeconds: "The duration by which each report renews a lease, in seconds.",
  },
  responses: [
    respond(
      200,
      "The tasks, the most urgent first; empty if none became available in time.",
      claimSchema,
    ),
  ],
  errorCodes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "AGENT_DISABLED"],
});

/** POST /agents/tasks/:id/report */
export const reportOnTask = defineOperation({
  operationId: "reportOnTask",
  tag: "Work",
  scope: "tasks:work",
  body: schemas.reportBody,
  summary: "Report on a task that you hold",
  description: `Reports on the work; \`type\` is the kind of report. In the response, \`stop\` states whether to stop.

| \`type\` | meaning | effect |
|---|---|---|
| \`heartbeat\` | the work continues | the lease is renewed after half of its duration |
| \`progress\` | the progress and the phase of the work | the lease is renewed |
| \`blocked\` | the worker needs something of people | the lease ends; after the answer the task waits to be claimed again, with \`answers\` and \`work\` |
| \`review\` | the work is done and should be looked at | the lease ends; after \`request_changes\` it waits to be claimed again, with \`reviewComments\` |
| \`completed\` | the work is done | it is completed, or in review where the agent or an earlier review asks for it |
| \`failed\` | the work cannot be done | it has failed with \`AGENT_ERROR\` |
| \`released\` | the worker stops before the work is done, for example at shutdown | the lease ends; the task returns to the agent's queue and can be claimed again at once, in the same attempt, with \`progress\`, \`work\`, \`answers\` and files |

Files that were uploaded before are delivered with \`review\` and \`completed\`.

A worker that does not hold the task gets 409 \`LEASE_LOST\`, and nothing changes. The report that ended the work can be repeated and gets the same response.

A \`progress\`, \`blocked\` or \`released\` report gets 429 \`RATE_LIMIT_EXCEEDED\` if its \`work\` is larger than 4 KiB and would exceed the limit \`storedBytes\` of the key that created the task. The same report is accepted without \`work\`.`,
  fields: REPORT_FIELDS,
  fieldsLike: { result: "TaskResult", quality: "Quality" },
  responses: [respond(200, "The report was accepted.", reportResultSchema)],
  errorCodes: ["LEASE_LOST", "TASK_LIMIT_REACHED"],
});

/** PUT /agents/tasks/:id/deliverables/:name */
export const uploadDeliverable = defineOperation({
  operationId: "uploadDeliverable",
  tag: "Work",
  scope: "tasks:work",
  summary: "Upload a file",
  description: `Stores a file of the task that the worker holds; it is delivered with the report that ends the work. A second file of the same name replaces the first. At most 50 files, of at most 100 MiB each. The bytes are streamed, and their SHA-256 is computed on the way.

An upload renews the lease when it begins and when it ends; send heartbeats while a long upload runs. If the worker has lost the task meanwhile, the file is discarded.`,
  ignoresUnknownQuery: true,
  handlerQuery: schemas.uploadQuery,
  parameters: {
    type: "The kind of file, one of the task's `deliverables` where it is meant; left out, the ending of its name.",
  },
  headers: {
    "Bosun-Lease": {
      description: "The lease's token, from the claim.",
      example: LEASE_TOKEN_EXAMPLE,
      required: true,
    },
    "Content-Length": {
      description:
        "The file's size in bytes, which most clients send by themselves. A file sent without it, in chunks, has the same size limit.",
      example: "8",
    },
    "Content-Digest": {
      description:
        "The file's SHA-256 in base64 (RFC 9530), to be compared with what arrives: `sha-256=:…=:`.",
      example: "sha-256=:6rmDfk6Fgn2wwClMjWqSWI8MyXATObcdk2G+/eI7eNI=:",
    },
  },
  rawBody:
    "The bytes of the file, with their media type as `Content-Type` (without one, `application/octet-stream`). No `Content-Encoding`.",
  responses: [
    respond(201, "The file is stored.", uploadedFileSchema),
    respond(200, "The file is stored in place of an earlier one of its name.", uploadedFileSchema),
  ],
  errorCodes: ["LEASE_LOST", "TASK_LIMIT_REACHED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
});
