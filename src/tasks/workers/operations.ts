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
    description: `Gives a worker the most urgent of its agent's waiting tasks, each under a **lease**. The worker holds a task until \`lease.expiresAt\`; \`heartbeat\` and \`progress\` reports renew the lease. The agent must be enabled and have the executor \`worker\`. Any number of workers can claim tasks for the same agent, but each task goes to only one of them.

If there is no task, the request waits for the first one for at most \`waitSeconds\`. If none arrives, the response is an empty list; repeat the request immediately. A client that disconnects stops waiting.

A worker that sends no report before its lease expires loses the task. The next attempt begins after 0.5 to 2 seconds. It keeps the answers and, if the agent and its executor type stay the same, the \`work\`. After three such attempts in a row, the task fails with \`LEASE_EXPIRED\`. A worker that dies while it is waiting may still be given a task, whose lease then expires in the same way. If the worker's key is revoked or expires, a waiting claim ends with 401 and the worker loses its tasks, both within ten seconds.

A worker with a key bound to the agent can omit \`agentId\` and needs only this scope. A key bound to a team cannot claim tasks, because an agent's tasks can belong to any team.`,
    responses: [
      respond(
        200,
        "The tasks, most urgent first; empty if none became available in time.",
        schemas.claimSchema,
      ),
    ],
    errorCodes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "AGENT_DISABLED", "AGENT_PAUSED"],
  }),

  /** POST /agents/tasks/:id/report */
  reportOnTask: defineOperation({
    operationId: "reportOnTask",
    tag: "Work",
    scope: "tasks:work",
    body: schemas.reportBody,
    summary: "Report on a task that you hold",
    description: `Sends a worker's report on a task. The table shows the effect of each \`type\`. In the response, \`stop\` says whether to stop working.

| \`type\` | meaning | effect |
|---|---|---|
| \`heartbeat\` | the work continues | the lease is renewed if more than half of it has passed |
| \`progress\` | the progress and the phase of the work | the lease is renewed |
| \`blocked\` | the worker needs something from people | the lease ends; after the answer, the task waits to be claimed again, with \`answers\` and \`work\` |
| \`review\` | the work is done and should be reviewed | the lease ends; after \`request_changes\`, the task waits to be claimed again, with \`reviewComments\` |
| \`completed\` | the work is done | the task is completed, or in review if the agent, the context or an earlier review requires it |
| \`failed\` | the work cannot be done | the attempt fails with \`AGENT_ERROR\` |
| \`released\` | the worker stops before the work is done, for example at shutdown | the lease ends; the task returns to the agent's queue and can be claimed again immediately, in the same attempt, with \`progress\`, \`work\`, \`answers\` and files |

\`review\` and \`completed\` deliver the files uploaded so far.

If the worker does not hold the task, the response is 409 \`LEASE_LOST\` and nothing changes. There are two exceptions: the report that ended the work can be repeated and gets the same response, and a heartbeat gets \`stop\` if the task was blocked, submitted for review or ended while the worker held it.

A \`progress\`, \`blocked\` or \`released\` report gets 429 \`RATE_LIMIT_EXCEEDED\` if its \`work\` is larger than 4 KiB and would exceed the \`storedBytes\` limit of the key that created the task. The same report is accepted without \`work\`.`,
    responses: [respond(200, "The report was accepted.", schemas.reportResultSchema)],
    errorCodes: ["LEASE_LOST", "TASK_LIMIT_REACHED"],
  }),

  /** PUT /agents/tasks/:id/deliverables/:name */
  uploadDeliverable: defineOperation({
    operationId: "uploadDeliverable",
    tag: "Work",
    scope: "tasks:work",
    summary: "Upload a file",
    description: `Stores a file for the task that the worker holds. The file is delivered with the report that ends the work. A second file with the same name replaces the first. A task can have at most 50 files of at most 100 MiB each. The bytes are streamed, and their SHA-256 is computed during the upload.

An upload counts as a heartbeat when it begins, and renews the lease when it ends. Send heartbeats during a long upload. If the worker loses the task during the upload, the file is discarded.`,
    ignoresUnknownQuery: true,
    handlerQuery: schemas.uploadQuery,
    headers: {
      "Bosun-Lease": {
        description: "The lease token from the claim.",
        example: schemas.LEASE_TOKEN_EXAMPLE,
        required: true,
      },
      "Content-Length": {
        description:
          "The file's size in bytes. Most clients send it automatically. The size limit also applies to files that are sent in chunks without it.",
        example: "8",
      },
      "Content-Digest": {
        description:
          "The file's SHA-256 in base64 (RFC 9530), as in `sha-256=:…=:`. The received bytes are checked against it.",
        example: "sha-256=:6rmDfk6Fgn2wwClMjWqSWI8MyXATObcdk2G+/eI7eNI=:",
      },
    },
    rawBody:
      "The file's bytes. Send the media type as `Content-Type` (default: `application/octet-stream`). `Content-Encoding` is not supported.",
    responses: [
      respond(201, "The file was stored.", uploadedFileSchema),
      respond(
        200,
        "The file was stored and replaced an earlier file with the same name.",
        uploadedFileSchema,
      ),
    ],
    errorCodes: ["LEASE_LOST", "TASK_LIMIT_REACHED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  }),
};
