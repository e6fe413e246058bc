import type { Proficiency } from "../../tools/model/tool.ts";

/** A seeded agent. It may use all capabilities of its tools. */
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

/** The agents of a new deployment. */
export const SEED_AGENTS: readonly SeedAgent[] = [
  {
    id: "data-analyst",
    name: "Data analyst",
    description: "Reads tables, finds what their columns say and reports it with figures.",
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
    description: "Reads texts and says what they are about, in fewer words.",
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
    description: "Turns findings into slides and charts that people like to look at.",
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
    description: "Brings data from one format into another and checks that it fits.",
    skills: ["format conversion", "JSON", "XML", "validation"],
    teams: ["studio"],
    tools: {
      "format-bridge": "expert",
      "json-workbench": "expert",
      "table-analyst": "intermediate",
    },
  },
];
