// Answers that the service has given, to requests that the operations show.

export const INVOCATION_EXAMPLE = {
  result: { method: "pearson", pairs: [{ x: "rain", y: "umbrellas", r: 0.9918, n: 4 }], notes: [] },
  usage: { toolId: "table-analyst", capability: "correlate", cost: 0, duration: "10ms" },
};

// Answers that the service has given, to requests that the operations show.

export const TOOL_USAGE_EXAMPLE = {
  toolId: "harbour",
  from: "2026-11-15",
  to: "2026-11-21",
  total: { calls: 2, failed: 0, cost: 0, duration: "29ms" },
  days: [{ day: "2026-11-21", calls: 2, failed: 0, cost: 0, duration: "29ms" }],
  recentCalls: [
    { at: "2026-11-21T22:15:02.224Z", capability: "getTides", cost: 0, ok: true, duration: "20ms" },
    { at: "2026-11-21T22:15:02.182Z", capability: "bookBerth", cost: 0, ok: true, duration: "9ms" },
  ],
  breaker: { state: "closed" },
};
