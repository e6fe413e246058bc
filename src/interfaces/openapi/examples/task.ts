// Answers that the service has given, to requests that the operations show.
import { APPROVED_TASK_HEAD, APPROVED_TASK_EXAMPLE } from "./task-changes.ts";

const SALES_ID = "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca";
const SALES_URL = `http://127.0.0.1:8787/agents/tasks/${SALES_ID}`;

const SALES_HEAD = {
  taskId: SALES_ID,
  status: "pending",
  task: "Analyse the sales statistics",
  agentId: "data-analyst",
  agentName: "Data analyst",
  priority: "high",
};

export const CREATED_TASK_EXAMPLE = {
  ...SALES_HEAD,
  deadline: "2030-01-31T12:00:00.000Z",
  estimatedCompletion: "2026-11-21T22:19:40.741Z",
  estimatedDuration: "3s",
  deliverables: ["summary"],
  trackingUrl: SALES_URL,
  createdAt: "2026-11-21T22:19:37.691Z",
};

const SUMMARY = {
  type: "summary",
  name: "summary.txt",
  url: `${SALES_URL}/deliverables/summary.txt`,
  size: 571,
  createdAt: "2026-11-21T22:19:39.771Z",
};

export const COMPLETED_TASK_EXAMPLE = {
  ...SALES_HEAD,
  status: "completed",
  progress: 100,
  currentPhase: "finalising",
  timeline: {
    createdAt: CREATED_TASK_EXAMPLE.createdAt,
    startedAt: "2026-11-21T22:19:38.198Z",
    completedAt: "2026-11-21T22:19:40.274Z",
    duration: "2s",
  },
  result: {
    summary: "The agent read 4 rows and 3 columns of context.csv. The mean of sold is 111.3.",
    insights: [
      "Mean of sold is 111.3 (n = 4, sd 30.65)",
      "The commonest of 2 values of month is 2026-01, in 2 of 4 rows",
      "The commonest of 2 values of shop is North, in 2 of 4 rows",
    ],
    recommendations: ["Collect more rows before you act on these figures: 4 rows can mislead."],
  },
  deliverables: [SUMMARY],
  quality: {
    score: 99,
    accuracy: 100,
    completeness: 100,
    clarity: 93,
  },
  attempt: 1,
  attempts: [],
  createdAt: CREATED_TASK_EXAMPLE.createdAt,
  deadline: CREATED_TASK_EXAMPLE.deadline,
  context: {
    csv: "month,shop,sold\n2026-01,North,120\n2026-01,South,80\n2026-02,North,150\n2026-02,South,95",
  },
  budget: {
    maxToolCalls: 20,
  },
  spend: {
    cost: 0,
    toolCalls: 4,
  },
};

export const TASK_LIST_EXAMPLE = {
  tasks: [
    {
      ...APPROVED_TASK_HEAD,
      attempt: 1,
      createdAt: APPROVED_TASK_EXAMPLE.createdAt,
      startedAt: APPROVED_TASK_EXAMPLE.timeline.startedAt,
      endedAt: APPROVED_TASK_EXAMPLE.timeline.completedAt,
    },
    {
      ...SALES_HEAD,
      status: "completed",
      deadline: CREATED_TASK_EXAMPLE.deadline,
      attempt: 1,
      rating: 5,
      createdAt: CREATED_TASK_EXAMPLE.createdAt,
      startedAt: COMPLETED_TASK_EXAMPLE.timeline.startedAt,
      endedAt: COMPLETED_TASK_EXAMPLE.timeline.completedAt,
    },
  ],
  total: 2,
  totalExact: true,
  limit: 2,
  offset: 0,
  nextCursor: null,
};

export const FIRST_FEEDBACK_EXAMPLE = {
  taskId: SALES_ID,
  rating: 4.5,
  feedback: "Clear and to the point.",
  issues: ["The chart I hoped for is missing."],
};

export const LATER_FEEDBACK_EXAMPLE = { taskId: SALES_ID, rating: 5 };

export const DELIVERABLES_EXAMPLE = {
  taskId: SALES_ID,
  deliverables: [
    {
      ...SUMMARY,
      downloadUrl: `${SUMMARY.url}?expires=1795303180&signature=EwTMKKr8MqAsVds49a6YH-FuB49cAb5sfRbnMJdyAzU`,
      format: "text/plain; charset=utf-8",
    },
  ],
};
