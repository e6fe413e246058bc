import { ROOT_KEY } from "../scripts/proof/bosun.ts";
import type { Dialect } from "./contestants/contestant.ts";

const TASK = "Summarise what the harbour log says of the fire";
const JSON_TYPE = { "Content-Type": "application/json" };
export const BOSUN_HEADERS = { Authorization: `Bearer ${ROOT_KEY}`, ...JSON_TYPE };

/** Bosun's API. BENCH_PAUSE_MS determines when steps are due. */
export const BOSUN: Dialect = {
  create: () => ({
    method: "POST",
    path: "/agents/tasks",
    headers: BOSUN_HEADERS,
    body: JSON.stringify({ task: TASK, deliverables: ["summary"] }),
  }),
  idIn: (created) => JSON.parse(created).data.taskId,
  read: (id) => ({ method: "GET", path: `/agents/tasks/${id}`, headers: BOSUN_HEADERS }),
  isCompleted: (answer) => JSON.parse(answer).data.status === "completed",
};

/**
 * The API of all other contestants: `POST /tasks` and `GET /tasks/:id`. The first step is due `startInMs` after
 * creation.
 */
export function plain(startInMs: number): Dialect {
  return {
    create: () => ({
      method: "POST",
      path: "/tasks",
      headers: JSON_TYPE,
      body: JSON.stringify({ task: TASK, startInMs }),
    }),
    idIn: (created) => JSON.parse(created).id,
    read: (id) => ({ method: "GET", path: `/tasks/${id}` }),
    isCompleted: (answer) => JSON.parse(answer).status === "completed",
  };
}
