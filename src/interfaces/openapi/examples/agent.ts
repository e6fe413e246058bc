// Answers that the service has given, to requests that the operations show.

export const TEAM_EXAMPLE = {
  id: "night-shift",
  name: "Night shift",
  agents: ["reader", "word-counter"],
};

export const CHANGED_TEAM_EXAMPLE = { ...TEAM_EXAMPLE, agents: ["word-counter"] };

export const TEAM_LIST_EXAMPLE = {
  teams: [
    { id: "insights", name: "Insights", totalAgents: 2 },
    { id: "night-shift", name: "Night shift", totalAgents: 1 },
    { id: "studio", name: "Studio", totalAgents: 2 },
  ],
  total: 3,
  limit: 50,
  offset: 0,
};

// Answers that the service has given, to requests that the operations show.

const AGENT = {
  id: "word-counter",
  name: "Word counter",
  description: "",
  skills: ["counting words"],
  teams: [],
  enabled: true,
  maxConcurrentTasks: 20,
  requireReview: false,
  executor: { type: "worker" },
  createdAt: "2026-11-21T22:15:03.050Z",
};

export const AGENT_DETAIL_EXAMPLE = { ...AGENT, queue: { waiting: 0, running: 0 } };

export const CHANGED_AGENT_EXAMPLE = { ...AGENT, maxConcurrentTasks: 5, requireReview: true };

export const AGENT_LIST_EXAMPLE = {
  agents: [{ ...CHANGED_AGENT_EXAMPLE, teams: ["night-shift"] }],
  total: 1,
  totalExact: true,
  limit: 50,
  offset: 0,
};

export const MODEL_AGENT_EXAMPLE = {
  id: "reader",
  name: "Reader",
  description: "",
  skills: ["reading", "summary"],
  teams: [],
  enabled: true,
  maxConcurrentTasks: null,
  requireReview: false,
  executor: {
    type: "model",
    provider: "openai-compatible",
    model: "gpt-5-mini",
    prices: { inputPerMillion: 0.25, outputPerMillion: 2 },
    maxTurns: 20,
    maxOutputTokens: 4096,
    baseUrl: "http://127.0.0.1:11434/v1",
    instructions: "Write for people who are in a hurry.",
    hasApiKey: true,
  },
  createdAt: "2026-11-21T22:15:03.099Z",
};
