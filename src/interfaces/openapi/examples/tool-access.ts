// Answers that the service has given, to requests that the operations show.

export const AGENT_ACCESS_EXAMPLE = {
  agentId: "researcher",
  agentName: "Researcher",
  tools: [
    {
      id: "table-analyst",
      name: "Table analyst",
      proficiency: "beginner",
      capabilities: ["profile", "aggregate", "correlate", "outliers", "trend"],
    },
    {
      id: "message-composer",
      name: "Message composer",
      proficiency: "advanced",
      capabilities: ["render-template", "markdown-to-html", "markdown-to-text"],
    },
    {
      id: "text-analyst",
      name: "Text analyst",
      proficiency: "expert",
      capabilities: ["keywords", "summarise", "readability"],
    },
  ],
  totalTools: 3,
};

export const GRANT_EXAMPLE = {
  agentId: "night-shift",
  toolId: "json-workbench",
  proficiency: "advanced",
  capabilities: ["query"],
  grantedAt: "2026-11-21T22:15:01.806Z",
};

export const REPLACED_GRANT_EXAMPLE = {
  ...GRANT_EXAMPLE,
  proficiency: "expert",
  capabilities: ["validate", "query", "diff"],
  grantedAt: "2026-11-21T22:15:01.836Z",
};

export const REVOKED_GRANT_EXAMPLE = {
  agentId: "night-shift",
  toolId: "json-workbench",
  revoked: true,
};
