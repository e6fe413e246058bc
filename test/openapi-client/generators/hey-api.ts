import { client } from "../generated/hey-api/client.gen";
import { createTask, getTask } from "../generated/hey-api";
import { HEADERS, ORIGIN, runTask } from "../run-task";

client.setConfig({ baseUrl: ORIGIN, headers: HEADERS });

await runTask({
  create: async (body) => {
    const { data } = await createTask({ body, throwOnError: true });
    return data.data.taskId;
  },
  readStatus: async (id) => {
    const { data } = await getTask({ path: { id }, throwOnError: true });
    return data.data.status;
  },
});
