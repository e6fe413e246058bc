import type { Proficiency } from "../../tools/model/tool.ts";

/** A seeded agent, which can use all capabilities of its tools. */
export interface SeedAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly teams: readonly string[];
  readonly tools: Readonly<Record<string, Proficiency>>;
}

export const SEED_TEAMS: readonly { readonly id: string; readonly name: string }[] = [
  { id: "insights", name: "Insights" },
  { id: "studio", name: "Studio" },
];

/** The agents in a new deployment. */
export const SEED_AGENTS: readonly SeedAgent[] = [
  {
    id: "data-analyst",
    name: "Data analyst",
    description: "Examines tables and reports what it finds, with figures.",
    skills: ["data analysis", "statistics", "correlation", "spreadsheet"],
    teams: ["insights"],
    tools: {
      "table-analyst": "expert",
      "chart-maker": "advanced",
      "format-bridge": "advanced",
      "message-composer": "intermediate",
    },
  },
  {
    id: "researcher",
    name: "Researcher",
    description: "Reads and summarises text.",
    skills: ["research", "summary", "text reading", "keywords"],
    teams: ["insights"],
    tools: {
      "text-analyst": "expert",
      "table-analyst": "beginner",
      "message-composer": "advanced",
    },
  },
  {
    id: "storyteller",
    name: "Storyteller",
    description: "Turns findings into attractive slides and charts.",
    skills: ["presentation", "chart", "slides", "visual design"],
    teams: ["studio"],
    tools: {
      "chart-maker": "expert",
      "table-analyst": "advanced",
      "text-analyst": "intermediate",
      "message-composer": "expert",
    },
  },
  {
    id: "integrator",
    name: "Integrator",
    description: "Converts data between formats and checks that it is valid.",
    skills: ["format conversion", "JSON", "XML", "validation"],
    teams: ["studio"],
    tools: {
      "format-bridge": "expert",
      "json-workbench": "expert",
      "table-analyst": "intermediate",
    },
  },
];
