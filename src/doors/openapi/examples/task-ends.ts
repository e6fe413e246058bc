// Answers that the service has given, to requests that the operations show.

export const RETRIED_TASK = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "pending",
  task: "Summarise this text",
  agentId: "storyteller",
  agentName: "Storyteller",
  priority: "urgent",
  progress: 0,
  timeline: {
    createdAt: "2026-11-21T22:19:40.428Z",
  },
  attempt: 2,
  attempts: [
    {
      attempt: 1,
      agentId: "researcher",
      agentName: "Researcher",
      error: {
        code: "REVIEW_REJECTED",
        message: "Too short for the new crew.",
        retryable: true,
        attempt: 1,
        at: "2026-11-21T22:19:43.686Z",
      },
      timeline: {
        startedAt: "2026-11-21T22:19:40.932Z",
        failedAt: "2026-11-21T22:19:43.686Z",
      },
    },
  ],
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

export const CANCELLED_TASK = {
  taskId: "852ec547fc90d297201b15f33f334142b9080a969242fe2b0098be91c059f9c3",
  status: "cancelled",
  task: "Summarise this text",
  agentId: "storyteller",
  agentName: "Storyteller",
  priority: "urgent",
  progress: 0,
  timeline: {
    createdAt: "2026-11-21T22:19:40.428Z",
  },
  attempt: 2,
  attempts: [
    {
      attempt: 1,
      agentId: "researcher",
      agentName: "Researcher",
      error: {
        code: "REVIEW_REJECTED",
        message: "Too short for the new crew.",
        retryable: true,
        attempt: 1,
        at: "2026-11-21T22:19:43.686Z",
      },
      timeline: {
        startedAt: "2026-11-21T22:19:40.932Z",
        failedAt: "2026-11-21T22:19:43.686Z",
      },
    },
  ],
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
  cancelReason: "The ship has sailed.",
};
