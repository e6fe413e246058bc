import { createTask, getTask } from "../generated/orval";
import { HEADERS, ORIGIN, runTask } from "../run-task";

// The generated client uses relative URLs, as in a browser.
const { fetch } = globalThis;
globalThis.fetch = (input, init) => fetch(new URL(String(input), ORIGIN), init);

await runTask({
  create: async (body) => {
    const { status, data } = await createTask(body, { headers: HEADERS });
    if (status !== 201) throw new Error(data.error.message);
    return data.data.taskId;
  },
  readStatus: async (id) => {
    const { status, data } = await getTask(id, undefined, { headers: HEADERS });
    if (status !== 200) throw new Error(data.error.message);
    return data.data.status;
  },
});
