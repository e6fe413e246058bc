// Answers that the service has given, to requests that the operations show.

const KEY = {
  id: "b6d30cffa5f07d75",
  name: "the data analyst’s own",
  scopes: ["tools:read", "tools:invoke", "tasks:read"],
  agentId: "data-analyst",
  limits: {
    requestsPerMinute: 6000,
    openStreams: 1000,
    pushConfigurations: 1000,
    liveTasks: 100_000,
    storedBytes: 1_000_000_000_000,
  },
  createdAt: "2026-11-21T22:15:03.379Z",
  createdBy: "root",
  expiresAt: "2027-12-31T23:59:59.000Z",
};

export const KEY_LIST_EXAMPLE = { keys: [KEY] };

export const CHANGED_KEY_EXAMPLE = { ...KEY, limits: { ...KEY.limits, requestsPerMinute: 600 } };

export const CREATED_KEY_EXAMPLE = {
  ...KEY,
  key: "bsn_b6d30cffa5f07d75_9d7b10f11dea0025b68ffd4f1f8a08f784d7fcd2d1c6573913239e088a1b3b39",
};

export const REVOKED_KEY_EXAMPLE = {
  id: "7fd083e1e8c84613",
  revoked: true,
  created: {
    keys: [
      { id: "b6d30cffa5f07d75", name: "nightly", createdBy: "7fd083e1e8c84613", revoked: true },
    ],
    webhooks: [
      {
        id: "whk_0c0ffee000000001",
        createdBy: "7fd083e1e8c84613",
        enabled: false,
        description: "the dashboard",
      },
    ],
    agents: [],
    tools: [],
    more: false,
  },
};
