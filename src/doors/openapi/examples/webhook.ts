// Answers that the service has given, to requests that the operations show.

export const CREATED_WEBHOOK = {
  id: "whk_90af5d0b8d5ed2b1",
  url: "https://hooks.example.com/bosun",
  description: "Counts of words, for the ledger",
  types: ["completed", "failed"],
  agentId: "word-counter",
  enabled: true,
  createdAt: "2026-11-21T22:28:08.580Z",
  secret: "whsec_lBXPR48i2625kVKTYVApLiRZ8M7CvnzOAkb05j0ti+Y=",
};

export const WEBHOOK_LIST = {
  webhooks: [
    {
      id: "whk_90af5d0b8d5ed2b1",
      url: "https://hooks.example.com/bosun",
      description: "Counts of words, for the ledger",
      types: ["completed", "failed"],
      agentId: "word-counter",
      enabled: true,
      createdAt: "2026-11-21T22:28:08.580Z",
    },
  ],
  total: 1,
  limit: 20,
  offset: 0,
};

export const WEBHOOK_DETAIL = {
  id: "whk_90af5d0b8d5ed2b1",
  url: "https://hooks.example.com/bosun",
  description: "Counts of words, for the ledger",
  types: ["completed", "failed"],
  agentId: "word-counter",
  enabled: true,
  createdAt: "2026-11-21T22:28:08.580Z",
  deliveries: {
    pending: 1,
    consecutiveFailures: 1,
  },
};

export const UPDATED_WEBHOOK = {
  id: "whk_90af5d0b8d5ed2b1",
  url: "https://hooks.example.com/bosun",
  description: "All that happens to the counts",
  agentId: "word-counter",
  enabled: true,
  createdAt: "2026-11-21T22:28:08.580Z",
};

export const ROTATED_SECRET = {
  id: "whk_90af5d0b8d5ed2b1",
  secret: "whsec_4psLZIxtKa+NjeT0n+h7uBokST/MHzinLo4KvMbTuwA=",
  previousValidUntil: "2026-11-22T22:28:18.359Z",
};

export const DELETED_WEBHOOK = {
  id: "whk_90af5d0b8d5ed2b1",
  deleted: true,
};

export const TRIED_OUT = {
  delivered: true,
  attempt: {
    at: "2026-11-21T22:28:18.339Z",
    durationMs: 3,
    status: 200,
    answer: "Thank you.",
  },
};

export const DELIVERY_LIST = {
  deliveries: [
    {
      id: "dlv_1795300089608000",
      event: {
        taskId: "2cd657e1e7430fc4ebdc89dbc1563d4e9174f2aea920bc63abbb1b65a07f953e",
        seq: 4,
        type: "completed",
      },
      status: "delivered",
      createdAt: "2026-11-21T22:28:09.630Z",
      endedAt: "2026-11-21T22:28:14.937Z",
      attempts: [
        {
          at: "2026-11-21T22:28:09.712Z",
          durationMs: 32,
          status: 503,
          error: "The receiver answered with the status 503.",
          answer: "We are moving house.",
        },
        {
          at: "2026-11-21T22:28:14.935Z",
          durationMs: 2,
          status: 200,
          answer: "Thank you.",
        },
      ],
    },
  ],
  limit: 50,
  nextCursor: null,
};

export const WHOLE_DELIVERY = {
  id: "dlv_1795300089608000",
  event: {
    taskId: "2cd657e1e7430fc4ebdc89dbc1563d4e9174f2aea920bc63abbb1b65a07f953e",
    seq: 4,
    type: "completed",
  },
  status: "delivered",
  createdAt: "2026-11-21T22:28:09.630Z",
  endedAt: "2026-11-21T22:28:14.937Z",
  attempts: [
    {
      at: "2026-11-21T22:28:09.712Z",
      durationMs: 32,
      status: 503,
      error: "The receiver answered with the status 503.",
      answer: "We are moving house.",
    },
    {
      at: "2026-11-21T22:28:14.935Z",
      durationMs: 2,
      status: 200,
      answer: "Thank you.",
    },
  ],
  body: {
    type: "task.completed",
    timestamp: "2026-11-21T22:28:09.535Z",
    data: {
      taskId: "2cd657e1e7430fc4ebdc89dbc1563d4e9174f2aea920bc63abbb1b65a07f953e",
      seq: 4,
      type: "completed",
      at: "2026-11-21T22:28:09.535Z",
      agentId: "word-counter",
      data: {
        result: {
          summary: "There are 5 words.",
          insights: [],
          recommendations: [],
        },
        quality: null,
        deliverables: [],
        calls: [],
      },
    },
  },
};

export const REDELIVERY = {
  id: "dlv_1795300089608000",
  event: {
    taskId: "2cd657e1e7430fc4ebdc89dbc1563d4e9174f2aea920bc63abbb1b65a07f953e",
    seq: 4,
    type: "completed",
  },
  status: "pending",
  createdAt: "2026-11-21T22:28:09.630Z",
  nextAttemptAt: "2026-11-21T22:28:17.232Z",
  attempts: [
    {
      at: "2026-11-21T22:28:09.712Z",
      durationMs: 32,
      status: 503,
      error: "The receiver answered with the status 503.",
      answer: "We are moving house.",
    },
    {
      at: "2026-11-21T22:28:14.935Z",
      durationMs: 2,
      status: 200,
      answer: "Thank you.",
    },
  ],
};
