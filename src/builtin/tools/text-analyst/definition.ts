import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

const TEXT_PARAMETER = { "text: string": "Plain text with at least one word." } as const;

export const textAnalyst: ToolDefinition = {
  id: "text-analyst",
  name: "Text analyst",
  category: "research",
  description:
    "Reads text: finds its keywords, picks the sentences that sum it up, and measures how hard it is to read.",
  documentation: "https://aclanthology.org/W04-3252/",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "keywords",
      name: "Keywords",
      description:
        "Ranks words and two-word phrases by TextRank (Mihalcea and Tarau, 2004), inflections counted together.",
      parameters: defineParameters({
        ...TEXT_PARAMETER,
        "limit?: number": "How many keywords, a whole number from 1 to 50; 10 by default.",
      }),
    },
    {
      id: "summarise",
      name: "Summarise",
      description:
        "Picks the most central sentences by TextRank (Mihalcea and Tarau, 2004), word for word and in their own order.",
      parameters: defineParameters({
        ...TEXT_PARAMETER,
        "sentences?: number": "How many sentences, a whole number from 1 to 20; 3 by default.",
      }),
    },
    {
      id: "readability",
      name: "Readability",
      description:
        "Counts words, sentences and syllables and computes six readability formulas for English, with the reading time.",
      parameters: defineParameters({ ...TEXT_PARAMETER }),
    },
  ],
};
