// Answers that the service has given, to requests that the operations show.

export const BLOCKED_TASK = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "blocked",
  task: "Summarise this text",
  agentId: "researcher",
  agentName: "Researcher",
  priority: "medium",
  progress: 0,
  currentPhase: "planning",
  timeline: {
    createdAt: "2026-11-21T22:19:40.428Z",
    startedAt: "2026-11-21T22:19:40.932Z",
  },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:40.428Z",
  context: {
    askFirst: "Who will read it?",
    requireReview: true,
    text: "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.",
  },
  blocked: {
    kind: "input",
    question: "Who will read it?",
    since: "2026-11-21T22:19:40.933Z",
  },
};

export const ANSWERED_TASK = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "in_progress",
  task: "Summarise this text",
  agentId: "researcher",
  agentName: "Researcher",
  priority: "medium",
  progress: 0,
  currentPhase: "planning",
  timeline: {
    createdAt: "2026-11-21T22:19:40.428Z",
    startedAt: "2026-11-21T22:19:40.932Z",
  },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:40.428Z",
  context: {
    askFirst: "Who will read it?",
    requireReview: true,
    text: "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.",
  },
};

export const UPDATED_TASK = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "review",
  task: "Summarise this text",
  agentId: "researcher",
  agentName: "Researcher",
  priority: "urgent",
  progress: 80,
  currentPhase: "finalising",
  timeline: {
    createdAt: "2026-11-21T22:19:40.428Z",
    startedAt: "2026-11-21T22:19:40.932Z",
  },
  result: {
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
  },
  deliverables: [
    {
      type: "summary",
      name: "summary.txt",
      url: "http://127.0.0.1:8787/agents/tasks/852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3/deliverables/summary.txt",
      size: 962,
      createdAt: "2026-11-21T22:19:43.080Z",
    },
  ],
  quality: {
    score: 84,
    accuracy: 67,
    completeness: 100,
    clarity: 86,
  },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:40.428Z",
  context: {
    askFirst: "Who will read it?",
    requireReview: true,
    text: "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.",
    reader: "the new crew",
  },
  spend: {
    cost: 0,
    toolCalls: 3,
  },
  notes: "The captain is waiting.",
};

export const REJECTED_TASK = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "failed",
  task: "Summarise this text",
  agentId: "researcher",
  agentName: "Researcher",
  priority: "urgent",
  progress: 80,
  currentPhase: "finalising",
  timeline: {
    createdAt: "2026-11-21T22:19:40.428Z",
    startedAt: "2026-11-21T22:19:40.932Z",
    duration: "2s",
  },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:40.428Z",
  context: {
    askFirst: "Who will read it?",
    requireReview: true,
    text: "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.",
    reader: "the new crew",
  },
  spend: {
    cost: 0,
    toolCalls: 3,
  },
  notes: "The captain is waiting.",
  error: {
    code: "REVIEW_REJECTED",
    message: "Too short for the new crew.",
    retryable: true,
    attempt: 1,
    at: "2026-11-21T22:19:43.686Z",
  },
};

export const APPROVED_TASK = {
  taskId: "df39cdc237afebffcda297c86b2bdd83bec5e2947093e798e3e9badeae18abdf",
  status: "completed",
  task: "Summarise this text",
  agentId: "researcher",
  agentName: "Researcher",
  priority: "medium",
  progress: 100,
  currentPhase: "finalising",
  timeline: {
    createdAt: "2026-11-21T22:19:43.745Z",
    startedAt: "2026-11-21T22:19:44.259Z",
    completedAt: "2026-11-21T22:19:46.451Z",
    duration: "2s",
  },
  result: {
    summary:
      "The agent read 32 words in 3 sentences of context.text. The main keywords are every rope, good and ship. The text is very easy to read (Flesch 98.19). Not all was done: the agent has no access to chart-maker (bar).",
    insights: [
      "The text has 32 words in 3 sentences, a reading time of 9s",
      "Flesch reading ease of the text is 98.19 (very easy)",
      "Keywords of the text, with counts, are every rope (2), good (2), ship (2), bosun (2) and gear (1)",
      'Central sentence 1: "The bosun looks after the gear of a ship."',
      'Central sentence 2: "He hands out the work of the day."',
      'Central sentence 3: "A good bosun knows every rope, and every rope of a good ship is sound."',
    ],
    recommendations: [],
  },
  deliverables: [
    {
      type: "report",
      name: "report.md",
      url: "http://127.0.0.1:8787/agents/tasks/df39cdc237afebffcda297c86b2bdd83bec5e2947093e798e3e9badeae18abdf/deliverables/report.md",
      size: 1872,
      createdAt: "2026-11-21T22:19:45.903Z",
    },
    {
      type: "report",
      name: "report.html",
      url: "http://127.0.0.1:8787/agents/tasks/df39cdc237afebffcda297c86b2bdd83bec5e2947093e798e3e9badeae18abdf/deliverables/report.html",
      size: 5101,
      createdAt: "2026-11-21T22:19:45.905Z",
    },
  ],
  quality: {
    score: 79,
    accuracy: 67,
    completeness: 88,
    clarity: 85,
  },
  attempt: 1,
  attempts: [],
  createdAt: "2026-11-21T22:19:43.745Z",
  context: {
    requireReview: true,
    text: "The bosun looks after the gear of a ship. He hands out the work of the day. A good bosun knows every rope, and every rope of a good ship is sound.",
  },
  spend: {
    cost: 0,
    toolCalls: 3,
  },
};
