import { CLAIM, COMPLETION, REPLACED_UPLOAD, UPLOAD } from "../examples/work.ts";
import type { Operations } from "../operation.ts";
import { uploadQuery } from "../../../tasks/worker/wire.ts";
import { uploadedFile } from "../schemas/deliverable.ts";
import { claimAnswer, reportAnswer } from "../schemas/lease.ts";
import { REPORT_FIELDS } from "./report-fields.ts";
import { id, name } from "./tasks/parameters.ts";

const LEASE = "lse_84c39c90-f351-475e-a25f-7524b8c40995";

/** What the own processes of agents with the executor `worker` do. */
export const workOperations: Operations = {
  "POST /agents/tasks/claim": {
    operationId: "claimTasks",
    tag: "Work",
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
    bodyExample: { agentId: "word-counter", worker: "laptop", leaseSeconds: 60, waitSeconds: 20 },
    answers: [
      {
        status: 200,
        description: "The tasks, the most urgent first; none where nothing came in time.",
        data: claimAnswer,
        example: CLAIM,
      },
    ],
    codes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "AGENT_DISABLED"],
  },
  "POST /agents/tasks/:id/report": {
    operationId: "reportOnTask",
    tag: "Work",
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
    parameters: { id },
    fields: REPORT_FIELDS,
    bodyExample: {
      type: "completed",
      lease: LEASE,
      result: { summary: "There are 8 words." },
    },
    answers: [
      {
        status: 200,
        description: "The report was taken in.",
        data: reportAnswer,
        example: COMPLETION,
      },
    ],
    codes: ["TASK_NOT_FOUND", "LEASE_LOST", "TASK_LIMIT_REACHED"],
  },
  "PUT /agents/tasks/:id/deliverables/:name": {
    operationId: "uploadDeliverable",
    tag: "Work",
    summary: "Hand in a file",
    description: `Stores a file of the task that the worker holds; it is delivered with the report that ends the work. A second file of the same name replaces the first. At most 50 files, of at most 100 MiB each. The bytes are streamed, and their SHA-256 is computed on the way.

Counts as a sign of life when it begins and when it ends; send heartbeats while a long upload runs. A file of a worker that has lost the task by then is thrown away.`,
    query: uploadQuery,
    parameters: {
      id,
      name: { ...name, example: "words.csv" },
      type: {
        description:
          "The kind of file, one of the task's `deliverables` where it is meant; left out, the ending of its name.",
        example: "csv",
      },
    },
    headers: {
      "Bosun-Lease": {
        description: "The lease's token, as the claim told it.",
        example: LEASE,
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
    answers: [
      {
        status: 201,
        description: "The file is stored.",
        data: uploadedFile,
        example: UPLOAD,
      },
      {
        status: 200,
        description: "The file is stored in place of an earlier one of its name.",
        data: uploadedFile,
        example: REPLACED_UPLOAD,
      },
    ],
    codes: [
      "TASK_NOT_FOUND",
      "LEASE_LOST",
      "TASK_LIMIT_REACHED",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ],
  },
};
