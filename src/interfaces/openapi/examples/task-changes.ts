// Answers that the service has given, to requests that the operations show. Two tasks over one text: the
// agent of the first asks back, and its work is rejected; the work of the second is approved.

const TEXT = {
  requireReview: true,
  text: "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.",
};

const READING = {
  summary:
    "The agent read 32 words in 3 sentences of context.text. The main keywords are every rope, good and ship. The text is very easy to read (Flesch 98.19).",
  insights: [
    "The text has 32 words in 3 sentences, a reading time of 9s",
    "Flesch reading ease of the text is 98.19 (very easy)",
    "Keywords of the text, with counts, are every rope (2), good (2), ship (2), bosun (2) and gear (1)",
    'Central sentence 1: "The bosun looks after the gear of a ship."',
    'Central sentence 2: "He hands out the work of the day."',
    'Central sentence 3: "A good bosun knows every rope, and every rope of a good ship is sound."',
  ],
  recommendations: [],
};

const SPEND = { cost: 0, toolCalls: 3 };

export const SUMMARY_TASK_HEAD = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "in_progress",
  task: "Summarise this text",
  agentId: "researcher",
  agentName: "Researcher",
  priority: "medium",
};

export const SUMMARY_TASK_TIMELINE = {
  createdAt: "2026-11-21T22:19:40.428Z",
  startedAt: "2026-11-21T22:19:40.932Z",
};

export const ANSWERED_TASK_EXAMPLE = {
  ...SUMMARY_TASK_HEAD,
  progress: 0,
  currentPhase: "planning",
  timeline: SUMMARY_TASK_TIMELINE,
  attempt: 1,
  attempts: [],
  createdAt: SUMMARY_TASK_TIMELINE.createdAt,
  context: { askFirst: "Who will read it?", ...TEXT },
};

/** What comes behind the result, since the task was updated. */
export const UPDATED_TASK_TAIL = {
  attempt: 1,
  attempts: [],
  createdAt: SUMMARY_TASK_TIMELINE.createdAt,
  context: { ...ANSWERED_TASK_EXAMPLE.context, reader: "the new crew" },
  spend: SPEND,
  notes: "The captain is waiting.",
};

export const UPDATED_TASK_EXAMPLE = {
  ...SUMMARY_TASK_HEAD,
  status: "review",
  priority: "urgent",
  progress: 80,
  currentPhase: "finalising",
  timeline: SUMMARY_TASK_TIMELINE,
  result: READING,
  deliverables: [
    {
      type: "summary",
      name: "summary.txt",
      url: `http://127.0.0.1:8787/agents/tasks/${SUMMARY_TASK_HEAD.taskId}/deliverables/summary.txt`,
      size: 962,
      createdAt: "2026-11-21T22:19:43.080Z",
    },
  ],
  quality: { score: 84, accuracy: 67, completeness: 100, clarity: 86 },
  ...UPDATED_TASK_TAIL,
};

export const REJECTED_TASK_EXAMPLE = {
  ...SUMMARY_TASK_HEAD,
  status: "failed",
  priority: "urgent",
  progress: 80,
  currentPhase: "finalising",
  timeline: { ...SUMMARY_TASK_TIMELINE, duration: "2s" },
  ...UPDATED_TASK_TAIL,
  error: {
    code: "REVIEW_REJECTED",
    message: "Too short for the new crew.",
    retryable: true,
    attempt: 1,
    at: "2026-11-21T22:19:43.686Z",
  },
};

export const APPROVED_TASK_HEAD = {
  ...SUMMARY_TASK_HEAD,
  taskId: "df39cdc237afebffcda297c86b2bdd83bec5e2947093e798e3e9badeae18abdf",
  status: "completed",
};

const REPORT_URL = `http://127.0.0.1:8787/agents/tasks/${APPROVED_TASK_HEAD.taskId}/deliverables/report`;

export const APPROVED_TASK_EXAMPLE = {
  ...APPROVED_TASK_HEAD,
  progress: 100,
  currentPhase: "finalising",
  timeline: {
    createdAt: "2026-11-21T22:19:43.745Z",
    startedAt: "2026-11-21T22:19:44.259Z",
    completedAt: "2026-11-21T22:19:46.451Z",
    duration: "2s",
  },
  result: {
    ...READING,
    summary: `${READING.summary} Not all was done: the agent has no access to chart-maker (bar).`,
  },
  deliverables: [
    {
      type: "report",
      name: "report.md",
      url: `${REPORT_URL}.md`,
      size: 1872,
      createdAt: "2026-11-21T22:19:45.903Z",
    },
    {
      type: "report",
      name: "report.html",
      url: `${REPORT_URL}.html`,
      size: 5101,
      createdAt: "2026-11-21T22:19:45.905Z",
    },
  ],
  quality: { score: 79, accuracy: 67, completeness: 88, clarity: 85 },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:43.745Z",
  context: TEXT,
  spend: SPEND,
};

// Answers that the service has given, to requests that the operations show.

const { agentId, agentName, error } = REJECTED_TASK_EXAMPLE;

export const RETRIED_TASK_EXAMPLE = {
  ...SUMMARY_TASK_HEAD,
  status: "pending",
  agentId: "storyteller",
  agentName: "Storyteller",
  priority: "urgent",
  progress: 0,
  timeline: { createdAt: SUMMARY_TASK_TIMELINE.createdAt },
  ...UPDATED_TASK_TAIL,
  attempt: 2,
  attempts: [
    {
      attempt: 1,
      agentId,
      agentName,
      error,
      timeline: { startedAt: SUMMARY_TASK_TIMELINE.startedAt, failedAt: error.at },
    },
  ],
};

export const CANCELLED_TASK_EXAMPLE = {
  ...RETRIED_TASK_EXAMPLE,
  status: "cancelled",
  cancelReason: "The ship has sailed.",
};
