// Runs a task from creation to rating with a client that is generated from /openapi.json. BOSUN_URL and BOSUN_KEY
// select the service and the key. Prints the results as one line of JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/schema.d.ts";
import { HEADERS, ORIGIN, readUntilEnded, TASK } from "./run-task.ts";

const client = createClient<paths>({
  baseUrl: ORIGIN,
  headers: HEADERS,
});

const created = await client.POST("/agents/tasks", {
  params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  body: TASK,
});
const { taskId } = dataOf(created).data;

const task = await readUntilEnded(async () => {
  const read = await client.GET("/agents/tasks/{id}", { params: { path: { id: taskId } } });
  return dataOf(read).data;
});
if (task.status !== "completed") throw new Error(`The task is ${task.status}`);
const insights: string[] = task.result?.insights ?? [];

const listed = await client.GET("/agents/tasks/{id}/deliverables", {
  params: { path: { id: taskId } },
});
const { deliverables } = dataOf(listed).data;
const sizes = await Promise.all(deliverables.map(downloaded));

const rated = await client.POST("/agents/tasks/{id}/feedback", {
  params: { path: { id: taskId } },
  body: { rating: 5, feedback: "Clear and short." },
});
const { rating } = dataOf(rated).data;

// Errors are typed: the operation's error codes for this status are known.
const again = await client.POST("/agents/tasks/{id}/cancel", { params: { path: { id: taskId } } });
if (again.error === undefined) throw new Error("A completed task was cancelled");
const { code } = again.error.error;

console.log(JSON.stringify({ status: task.status, insights, sizes, rating, code }));

async function downloaded(file: components["schemas"]["DownloadableDeliverable"]): Promise<number> {
  const response = await fetch(file.downloadUrl);
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength !== file.size)
    throw new Error(`${file.name} has ${bytes.byteLength} bytes, not ${file.size}`);
  return bytes.byteLength;
}

/** The data of a response, or its error message. */
function dataOf<Data>({
  data,
  error,
}: {
  readonly data?: Data | undefined;
  readonly error?: { readonly error: components["schemas"]["Error"] };
}): Data {
  if (data !== undefined) return data;
  throw new Error(
    error === undefined
      ? "The response has neither data nor an error"
      : `${error.error.code}: ${error.error.message}`,
  );
}
