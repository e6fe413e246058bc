// Answers that the service has given, to requests that the operations show.

export const TEAM = { id: "night-shift", name: "Night shift", agents: ["reader", "word-counter"] };

export const CHANGED_TEAM = { ...TEAM, agents: ["word-counter"] };

export const TEAM_LIST = {
  teams: [
    { id: "insights", name: "Insights", totalAgents: 2 },
    { id: "night-shift", name: "Night shift", totalAgents: 1 },
    { id: "studio", name: "Studio", totalAgents: 2 },
  ],
  total: 3,
  limit: 50,
  offset: 0,
};
