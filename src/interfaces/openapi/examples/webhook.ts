// Answers that the service has given, to requests that the operations show.
import { COMPLETED_EVENT_EXAMPLE } from "./event.ts";

const WEBHOOK = {
  id: "whk_90af5d0b8d5ed2b1",
  format: "standard",
  url: "https://hooks.example.com/bosun",
  description: "Counts of words, for the ledger",
  types: ["completed", "failed"],
  agentId: "word-counter",
  enabled: true,
  createdAt: "2026-11-21T22:28:08.580Z",
  createdBy: "root",
};

export const CREATED_WEBHOOK_EXAMPLE = {
  ...WEBHOOK,
  secret: "whsec_lBXPR48i2625kVKTYVApLiRZ8M7CvnzOAkb05j0ti+Y=",
};

export const WEBHOOK_LIST_EXAMPLE = { webhooks: [WEBHOOK], total: 1, limit: 20, offset: 0 };

export const WEBHOOK_DETAIL_EXAMPLE = {
  ...WEBHOOK,
  deliveries: { pending: 1, consecutiveFailures: 1 },
};

export const UPDATED_WEBHOOK_EXAMPLE = {
  id: WEBHOOK.id,
  format: WEBHOOK.format,
  url: WEBHOOK.url,
  description: "All that happens to the counts",
  agentId: WEBHOOK.agentId,
  enabled: true,
  createdAt: WEBHOOK.createdAt,
  createdBy: WEBHOOK.createdBy,
};

export const ROTATED_SECRET_EXAMPLE = {
  id: WEBHOOK.id,
  secret: "whsec_4psLZIxtKa+NjeT0n+h7uBokST/MHzinLo4KvMbTuwA=",
  previousValidUntil: "2026-11-22T22:28:18.359Z",
};

export const DELETED_WEBHOOK_EXAMPLE = { id: WEBHOOK.id, deleted: true };

export const WEBHOOK_TEST_EXAMPLE = {
  delivered: true,
  attempt: {
    at: "2026-11-21T22:28:18.339Z",
    durationMs: 3,
    status: 200,
    answer: "Thank you.",
  },
};

const { taskId, seq, type } = COMPLETED_EVENT_EXAMPLE;
const PENDING = {
  id: "dlv_1795300089608000",
  event: { taskId, seq, type },
  status: "pending",
  createdAt: "2026-11-21T22:28:09.630Z",
};
const ATTEMPTS = [
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
];
const DELIVERED = {
  ...PENDING,
  status: "delivered",
  endedAt: "2026-11-21T22:28:14.937Z",
  attempts: ATTEMPTS,
};

export const DELIVERY_LIST_EXAMPLE = { deliveries: [DELIVERED], limit: 50, nextCursor: null };

export const DELIVERY_DETAIL_EXAMPLE = {
  ...DELIVERED,
  body: {
    type: "task.completed",
    timestamp: COMPLETED_EVENT_EXAMPLE.at,
    data: COMPLETED_EVENT_EXAMPLE,
  },
};

export const REDELIVERY_EXAMPLE = {
  ...PENDING,
  nextAttemptAt: "2026-11-21T22:28:17.232Z",
  attempts: ATTEMPTS,
};
