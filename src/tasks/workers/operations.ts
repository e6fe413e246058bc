import { defineOperation, respond } from "../../http/operation.ts";
import * as schemas from "./schemas.ts";
import { uploadedFileSchema } from "../api/deliverable-schemas.ts";

export const workerOperations = {
  /** POST /agents/tasks/claim */
  claimTasks: defineOperation({
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
    responses: [
      respond(
        200,
        "The tasks, the most urgent first; empty if none became available in time.",
        schemas.claimSchema,
      ),
    ],
    errorCodes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "AGENT_DISABLED"],
  }),

  /** POST /agents/tasks/:id/report */
  reportOnTask: defineOperation({
    operationId: "reportOnTask",
    tag: "Work",
    scope: "tasks:work",
    body: schemas.reportBody,
    summary: "Report on a task that you hold",
    description: `Reports on the work. The table shows the effect of each \`type\`. In the response, \`stop\` states whether to stop.

| \`type\` | meaning | effect |
|---|---|---|
| \`heartbeat\` | the work continues | the lease is renewed after half of its duration |
| \`progress\` | the progress and the phase of the work | the lease is renewed |
| \`blocked\` | the worker needs something from people | the lease ends; after the answer the task waits to be claimed again, with \`answers\` and \`work\` |
| \`review\` | the work is done and should be reviewed | the lease ends; after \`request_changes\` it waits to be claimed again, with \`reviewComments\` |
| \`completed\` | the work is done | it is completed, or in review if the agent or an earlier review requires it |
| \`failed\` | the work cannot be done | it has failed with \`AGENT_ERROR\` |
| \`released\` | the worker stops before the work is done, for example at shutdown | the lease ends; the task returns to the agent's queue and can be claimed again at once, in the same attempt, with \`progress\`, \`work\`, \`answers\` and files |

Files that were uploaded before are delivered with \`review\` and \`completed\`.

A worker that does not hold the task gets 409 \`LEASE_LOST\`, and nothing changes. The report that ended the work can be repeated and gets the same response.

A \`progress\`, \`blocked\` or \`released\` report gets 429 \`RATE_LIMIT_EXCEEDED\` if its \`work\` is larger than 4 KiB and would exceed the limit \`storedBytes\` of the key that created the task. The same report is accepted without \`work\`.`,
    responses: [respond(200, "The report was accepted.", schemas.reportResultSchema)],
    errorCodes: ["LEASE_LOST", "TASK_LIMIT_REACHED"],
  }),

  /** PUT /agents/tasks/:id/deliverables/:name */
  uploadDeliverable: defineOperation({
    operationId: "uploadDeliverable",
    tag: "Work",
    scope: "tasks:work",
    summary: "Upload a file",
    description: `Stores a file of the task that the worker holds; it is delivered with the report that ends the work. A second file with the same name replaces the first. At most 50 files, of at most 100 MiB each. The bytes are streamed, and their SHA-256 is computed during the upload.

An upload renews the lease when it begins and when it ends; send heartbeats while a long upload runs. If the worker has lost the task meanwhile, the file is discarded.`,
    ignoresUnknownQuery: true,
    handlerQuery: schemas.uploadQuery,
    headers: {
      "Bosun-Lease": {
        description: "The lease's token, from the claim.",
        example: schemas.LEASE_TOKEN_EXAMPLE,
        required: true,
      },
      "Content-Length": {
        description:
          "The file's size in bytes, which most clients send automatically. A file sent without it, in chunks, has the same size limit.",
        example: "8",
      },
      "Content-Digest": {
        description:
          "The file's SHA-256 in base64 (RFC 9530), which is compared with the received bytes: `sha-256=:…=:`.",
        example: "sha-256=:6rmDfk6Fgn2wwClMjWqSWI8MyXATObcdk2G+/eI7eNI=:",
      },
    },
    rawBody:
      "The bytes of the file, with their media type as `Content-Type` (without one, `application/octet-stream`). No `Content-Encoding`.",
    responses: [
      respond(201, "The file is stored.", uploadedFileSchema),
      respond(
        200,
        "The file is stored and replaces an earlier file with the same name.",
        uploadedFileSchema,
      ),
    ],
    errorCodes: ["LEASE_LOST", "TASK_LIMIT_REACHED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  }),
};
