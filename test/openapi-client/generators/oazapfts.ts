import { createTask, defaults, getTask } from "../generated/oazapfts";
import { HEADERS, ORIGIN, runTask } from "../run-task";

defaults.baseUrl = ORIGIN;
defaults.headers = HEADERS;

await runTask({
  create: async (body) => {
    const answer = await createTask(body);
    if (answer.status !== 201) throw new Error(answer.data.error.message);
    return answer.data.data.taskId;
  },
  readStatus: async (id) => {
    const answer = await getTask(id);
    if (answer.status !== 200) throw new Error(answer.data.error.message);
    return answer.data.data.status;
  },
});
