import { CREATED_TASK, TASK_LIST } from "../../examples/task.ts";
import type { Operations } from "../../operation.ts";
import { createdTask, taskList } from "../../schemas/task.ts";

/** All tasks together. */
export const collectionOperations: Operations = {
  "GET /agents/tasks": {
    operationId: "listTasks",
    tag: "Tasks",
    summary: "List tasks",
    description: `A page of tasks, newest first. Filters may be combined; a task must pass all of them. An agent or a team that nobody knows has no tasks: the page is empty.

Page through with \`offset\` up to 10,000, or with \`cursor\`, where every page costs the same as the first: send \`nextCursor\` with the very same filters until it is null. With a cursor leave \`offset\` out, as it would skip tasks once more.

A key bound to an agent or a team sees that one's tasks, and no other. Whoever creates a task finds it in the next list.`,
    parameters: {
      status: { description: "Only tasks that stand there.", example: "completed" },
      agentId: { description: "Only tasks that this agent has.", example: "data-analyst" },
      teamId: { description: "Only tasks that were given to this team.", example: "insights" },
      priority: { description: "Only tasks of this priority.", example: "high" },
      startDate: {
        description:
          "Only tasks created at this instant or later: a date-time with a zone, or a date, which stands for the beginning of that day in UTC.",
        example: "2026-11-01",
      },
      endDate: {
        description:
          "Only tasks created at this instant or before: a date-time with a zone, or a date, which stands for the end of that day in UTC. Not before `startDate`.",
        example: "2026-11-30",
      },
      cursor: {
        description:
          "The `nextCursor` of the page before, as it is. It works with the same filters and the same key's view alone, and does not expire.",
      },
      limit: { description: "Tasks on one page.", example: 2 },
      offset: { description: "Tasks to skip: those of the pages before.", example: 0 },
    },
    answers: [
      {
        status: 200,
        description: "The page; empty where nothing matches.",
        data: taskList,
        example: TASK_LIST,
      },
    ],
    codes: [],
  },
  "POST /agents/tasks": {
    operationId: "createTask",
    tag: "Tasks",
    summary: "Create a task",
    description: `Hands work to an agent and answers at once; the work begins by itself. Follow it with GET, the stream of its events, or a webhook.

**Who gets it.** With \`agentId\` that agent and no other. Otherwise the best of the enabled agents, of the team where \`teamId\` is given: by skills that the task's words name, tools for what the context brings, rating, and load. Where none fits, the task stays \`pending\` without an agent and the service goes on looking; at its deadline it fails with \`NO_AGENT_AVAILABLE\`. A task of a key bound to an agent or a team is for that agent or team, and may name nobody else.

**Input.** Put the data for the agent into \`context\`. Built-in agents read \`text\` (a text), \`csv\` (a table as CSV) and \`data\` (a table as an array of row objects). If the context has none of these, they read the input in the task's own text: a table, JSON rows, a fenced block, or the text after an instruction such as "Summarise: " or "Summarise the text below." If the text is only an instruction, the result says that there was nothing to read. With \`askFirst\` (a question), built-in agents and models ask before they begin. \`requireReview: true\` requires a person to approve the work before the task is completed, for every type of agent.

**Sending it again.** A repeat with the same \`Idempotency-Key\` and body finds the first task and answers as the first time, for as long as the task is kept, and not for 24 hours only. At most one task is ever made of one key.`,
    fields: {
      task: "What is to be done, in words.",
      agentId: "Who is to do it; left out, the best agent is chosen.",
      teamId: "The team whose agents may do it. An `agentId` beside it must be a member.",
      context:
        "What the agent has to work with; at most 1 MiB as JSON. GET shows it up to 64 KiB, and whole with `include=context`.",
      priority: "How urgent it is.",
      deadline:
        "When the task fails unless it has ended: in the future, and at most five years from now. Enforced within a second.",
      deliverables:
        "The kinds of files that are wanted, such as `summary`, `report`, `presentation`, `chart` or `spreadsheet`, which built-in agents know how to make.",
      budget:
        "Limits on what the task may spend, and whatever else you would like to keep there; at most 64 KiB as JSON.",
      "budget.maxCost":
        "The most that tools and models may cost together, in US dollars. When the next call does not fit, the task is `blocked` with kind `budget` until somebody answers.",
      "budget.maxToolCalls":
        "The most calls of tools, over all attempts. When they are used up, the task is `blocked` with kind `budget`.",
      "budget.maxDurationSeconds":
        "Seconds that the agent may work in one attempt; then the attempt fails with `BUDGET_EXCEEDED`. Time in `blocked`, in `review` and in the queue does not count.",
    },
    bodyExample: {
      task: "Analyse the sales statistics",
      priority: "high",
      deadline: "2030-01-31T12:00:00Z",
      deliverables: ["summary"],
      context: {
        csv: "month,shop,sold\n2026-01,North,120\n2026-01,South,80\n2026-02,North,150\n2026-02,South,95",
      },
      budget: { maxToolCalls: 20 },
    },
    answers: [
      {
        status: 201,
        description:
          "The task was created; or had been by an earlier request with this Idempotency-Key, and this is the answer that it got.",
        data: createdTask,
        example: CREATED_TASK,
        headers: { Location: "Where the task is read." },
      },
    ],
    codes: ["AGENT_MISMATCH", "AGENT_NOT_FOUND", "TEAM_NOT_FOUND"],
  },
};
