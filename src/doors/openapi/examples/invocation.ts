// Answers that the service has given, to requests that the operations show.

export const INVOCATION = {
  result: { method: "pearson", pairs: [{ x: "rain", y: "umbrellas", r: 0.9918, n: 4 }], notes: [] },
  usage: { toolId: "table-analyst", capability: "correlate", cost: 0, duration: "10ms" },
};
