// The client of openapi-zod-client, which checks each response against its schema.
import { createApiClient } from "../generated/zodios";
import { HEADERS, ORIGIN, runTask } from "../run-task";

const client = createApiClient(ORIGIN, { axiosConfig: { headers: HEADERS } });

await runTask({
  create: async (body) => {
    const { data } = await client.post("/agents/tasks", body);
    return data.taskId;
  },
  readStatus: async (id) => {
    const { data } = await client.get("/agents/tasks/:id", { params: { id } });
    return data.status;
  },
});
