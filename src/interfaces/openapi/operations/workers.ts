import { defineOperations, respond } from "../api-operation.ts";
import { uploadQuery } from "../../../tasks/workers/schemas.ts";
import { uploadedFileSchema } from "../schemas/deliverable.ts";
import { claimSchema, reportResultSchema } from "../schemas/worker.ts";
import { TASK_ID_PARAMETER, FILE_NAME_PARAMETER } from "./tasks.ts";

/** The fields of all types of reports. */
const REPORT_FIELDS = {
  type: "What is reported; it says which other fields there are.",
  lease: "The lease's token, as the claim told it.",
  progress: "How far the work has come, in per cent; never less than what was reported before.",
  phase: "What you are at, in your own words; left out, it stays what it was.",
  work: "Merged key by key into what is kept for whoever holds the task next; at most 1 MiB in all as JSON.",
  kind: "What is needed.",
  question: "What you ask, for people to read.",
  result: "The result in words.",
  "result.summary": "What came of it, in a few sentences.",
  "result.insights": "Findings, each a sentence.",
  "result.recommendations": "What to do about them.",
  quality: "How good you judge the work to be; left out, nobody has judged it.",
  "quality.score": "Overall, 0 to 100.",
  "quality.accuracy": "How sure the figures are, 0 to 100.",
  "quality.completeness": "How much of what was asked for is there, 0 to 100.",
  "quality.clarity": "How easily it reads, 0 to 100.",
  reason: "Why the worker returns the task, for people to read.",
  error: "Why the work cannot be done.",
  "error.message": "What happened, for people to read.",
  "error.retryable": "Whether the same work may succeed another time.",
  "error.details": "Anything else about it, for programs to read; at most 16 KiB as JSON.",
};

const LEASE_TOKEN_EXAMPLE = "lse_84c39c90-f351-475e-a25f-7524b8c40995";

/** The operations of workers. */
export const workerOperations = defineOperations("Work", {
  "POST /agents/tasks/claim": {
    operationId: "claimTasks",
    summary: "Claim tasks to work on",
    description: `Gives a worker the most urgent of its agent's waiting tasks, each under a **lease**: the worker holds the task until \`lease.expiresAt\`, and every report puts that off. The agent must have the executor \`worker\` and be enabled. Any number of workers may claim for one agent; each task goes to one of them.

With nothing to do, the request waits for the first task, for \`waitSeconds\` at most, and then answers an empty list: ask again at once. Hang up, and you leave the line.

A worker that sends no report before its lease ends loses the task. The next attempt begins after 0.5 to 2 seconds, with the answers and, if the agent and the type of its executor stay the same, the \`work\`. After three such attempts in a row, the task fails with \`LEASE_EXPIRED\`. A worker that dies while it waits may receive one more task, which returns to the queue in the same way. When the worker's key is revoked or expires, its waiting claim ends with 401 and it loses its tasks, both within ten seconds.

A key bound to the agent needs no \`agentId\` and, for all that workers do, no scope but this one. A key bound to a team cannot claim, as an agent's tasks may be of any team.`,
    fields: {
      agentId: "Whose tasks; required unless the key is bound to an agent.",
      worker: "What this worker calls itself, for people to read.",
      max: "Tasks to take at most; they are yours at once, and their leases run.",
      waitSeconds: "How long to wait for the first task, in seconds; 0 does not wait.",
      leaseSeconds: "How long each sign of life holds a task, in seconds.",
    },
    responses: [
      respond(
        200,
        "The tasks, the most urgent first; none where nothing came in time.",
        claimSchema,
      ),
    ],
    errorCodes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "AGENT_DISABLED"],
  },
  "POST /agents/tasks/:id/report": {
    operationId: "reportOnTask",
    summary: "Report on a task that you hold",
    description: `Tells how the work goes; \`type\` says what. Each answer says by \`stop\` whether to go on.

| \`type\` | says | and then |
|---|---|---|
| \`heartbeat\` | still at it | the lease is renewed, once half of it is gone |
| \`progress\` | how far, and at what | the lease is renewed |
| \`blocked\` | the worker needs something of people | the lease ends; after the answer the task waits to be claimed again, with \`answers\` and \`work\` |
| \`review\` | the work is done and should be looked at | the lease ends; after \`request_changes\` it waits to be claimed again, with \`reviewComments\` |
| \`completed\` | the work is done | it is completed, or in review where the agent or an earlier review asks for it |
| \`failed\` | the work cannot be done | it has failed with \`AGENT_ERROR\` |
| \`released\` | the worker stops before the work is done, for example at shutdown | the lease ends; the task returns to the agent's queue and can be claimed again at once, in the same attempt, with \`progress\`, \`work\`, \`answers\` and files |

Files that were handed in before are delivered with \`review\` and \`completed\`.

A worker that does not hold the task gets 409 \`LEASE_LOST\`, and nothing changes. The report that ended the work can be repeated and gets the same response.

A \`progress\`, \`blocked\` or \`released\` report gets 429 \`RATE_LIMIT_EXCEEDED\` if its \`work\` is larger than 4 KiB and would exceed the limit \`storedBytes\` of the key that created the task. The same report is accepted without \`work\`.`,
    parameters: { id: TASK_ID_PARAMETER },
    fields: REPORT_FIELDS,
    responses: [respond(200, "The report was taken in.", reportResultSchema)],
    errorCodes: ["TASK_NOT_FOUND", "LEASE_LOST", "TASK_LIMIT_REACHED"],
  },
  "PUT /agents/tasks/:id/deliverables/:name": {
    operationId: "uploadDeliverable",
    summary: "Hand in a file",
    description: `Stores a file of the task that the worker holds; it is delivered with the report that ends the work. A second file of the same name replaces the first. At most 50 files, of at most 100 MiB each. The bytes are streamed, and their SHA-256 is computed on the way.

Counts as a sign of life when it begins and when it ends; send heartbeats while a long upload runs. A file of a worker that has lost the task by then is thrown away.`,
    query: uploadQuery,
    parameters: {
      id: TASK_ID_PARAMETER,
      name: FILE_NAME_PARAMETER,
      type: "The kind of file, one of the task's `deliverables` where it is meant; left out, the ending of its name.",
    },
    headers: {
      "Bosun-Lease": {
        description: "The lease's token, as the claim told it.",
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
      respond(
        200,
        "The file is stored in place of an earlier one of its name.",
        uploadedFileSchema,
      ),
    ],
    errorCodes: [
      "TASK_NOT_FOUND",
      "LEASE_LOST",
      "TASK_LIMIT_REACHED",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ],
  },
});
