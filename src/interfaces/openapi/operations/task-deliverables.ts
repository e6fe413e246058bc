import { defineOperations, respond } from "../api-operation.ts";
import { deliverableListSchema } from "../schemas/deliverable.ts";
import { TASK_ID_PARAMETER, FILE_NAME_PARAMETER } from "./tasks.ts";

/** The files of a task. */
export const taskDeliverableOperations = defineOperations("Tasks", {
  "GET /agents/tasks/:id/deliverables": {
    operationId: "listDeliverables",
    summary: "List the files of a task",
    description: `The files of a task that is in \`review\` or \`completed\`, in the order in which they were made. Before that, and for failed and cancelled tasks, the answer is 409 \`TASK_NOT_COMPLETED\`.

\`url\` needs a key that may read the task. \`downloadUrl\` needs none and works for an hour: fit for a browser, a message, or another service.`,
    parameters: { id: TASK_ID_PARAMETER },
    responses: [respond(200, "The files; none is possible.", deliverableListSchema)],
    errorCodes: ["TASK_NOT_FOUND", "TASK_NOT_COMPLETED"],
  },
  "GET /agents/tasks/:id/deliverables/:name": {
    operationId: "downloadDeliverable",
    summary: "Download a file",
    description: `The bytes of one file, as an attachment that no browser runs, frames or guesses the type of. Comes with a key, or by the signed link that \`downloadUrl\` gives; a link that has expired or was altered answers 401.`,
    access: "link",
    scope: "tasks:read",
    parameters: { id: TASK_ID_PARAMETER, name: FILE_NAME_PARAMETER },
    responses: [
      {
        status: 200,
        description: "The file, with its own media type.",
        content: { "*/*": {} },
        headers: {
          "Content-Disposition": "`attachment`, with the file's name.",
          "Content-Security-Policy": "Keeps a browser from running what the file may hold.",
          "X-Content-Type-Options": "`nosniff`.",
          "Cache-Control": "`private, no-store`.",
        },
      },
    ],
    errorCodes: ["TASK_NOT_FOUND", "TASK_NOT_COMPLETED", "DELIVERABLE_NOT_FOUND"],
  },
});
