// Answers that the service has given, to requests that the operations show.

export const CREATED_TASK = {
  taskId: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
  status: "pending",
  task: "Analyse the sales statistics",
  agentId: "data-analyst",
  agentName: "Data analyst",
  priority: "high",
  deadline: "2030-01-31T12:00:00.000Z",
  estimatedCompletion: "2026-11-21T22:19:40.741Z",
  estimatedDuration: "3s",
  deliverables: ["summary"],
  trackingUrl:
    "http://127.0.0.1:8787/agents/tasks/12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
  createdAt: "2026-11-21T22:19:37.691Z",
};

export const COMPLETED_TASK = {
  taskId: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
  status: "completed",
  task: "Analyse the sales statistics",
  agentId: "data-analyst",
  agentName: "Data analyst",
  priority: "high",
  progress: 100,
  currentPhase: "finalising",
  timeline: {
    createdAt: "2026-11-21T22:19:37.691Z",
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
  deliverables: [
    {
      type: "summary",
      name: "summary.txt",
      url: "http://127.0.0.1:8787/agents/tasks/12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca/deliverables/summary.txt",
      size: 571,
      createdAt: "2026-11-21T22:19:39.771Z",
    },
  ],
  quality: {
    score: 99,
    accuracy: 100,
    completeness: 100,
    clarity: 93,
  },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:37.691Z",
  deadline: "2030-01-31T12:00:00.000Z",
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

export const TASK_LIST = {
  tasks: [
    {
      taskId: "df39cdc237afebffcda297c86b2bdd83bec5e2947093e798e3e9badeae18abdf",
      status: "completed",
      task: "Summarise this text",
      agentId: "researcher",
      agentName: "Researcher",
      priority: "medium",
      attempt: 1,
      createdAt: "2026-11-21T22:19:43.745Z",
      startedAt: "2026-11-21T22:19:44.259Z",
      endedAt: "2026-11-21T22:19:46.451Z",
    },
    {
      taskId: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
      status: "completed",
      task: "Analyse the sales statistics",
      agentId: "data-analyst",
      agentName: "Data analyst",
      priority: "high",
      deadline: "2030-01-31T12:00:00.000Z",
      attempt: 1,
      rating: 5,
      createdAt: "2026-11-21T22:19:37.691Z",
      startedAt: "2026-11-21T22:19:38.198Z",
      endedAt: "2026-11-21T22:19:40.274Z",
    },
  ],
  total: 2,
  totalExact: true,
  limit: 2,
  offset: 0,
  nextCursor: null,
};

export const FIRST_FEEDBACK = {
  taskId: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
  rating: 4.5,
  feedback: "Clear and to the point.",
  issues: ["The chart I hoped for is missing."],
};

export const LATER_FEEDBACK = {
  taskId: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
  rating: 5,
};

export const DELIVERABLES = {
  taskId: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
  deliverables: [
    {
      type: "summary",
      name: "summary.txt",
      url: "http://127.0.0.1:8787/agents/tasks/12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca/deliverables/summary.txt",
      size: 571,
      createdAt: "2026-11-21T22:19:39.771Z",
      downloadUrl:
        "http://127.0.0.1:8787/agents/tasks/12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca/deliverables/summary.txt?expires=1795303180&signature=EwTMKKr8MqAsVds49a6YH-FuB49cAb5sfRbnMJdyAzU",
      format: "text/plain; charset=utf-8",
    },
  ],
};
