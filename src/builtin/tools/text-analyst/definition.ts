import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters } from "../parameters.ts";

const TEXT_PARAMETER = { "text: string": "Plain text with at least one word." } as const;

export const textAnalyst: ToolDefinition = {
  id: "text-analyst",
  name: "Text analyst",
  category: "research",
  description:
    "Analyses a text: finds its keywords, selects sentences that summarise it, and measures its readability.",
  documentation: "https://aclanthology.org/W04-3252/",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "keywords",
      name: "Keywords",
      description:
        "Ranks words and two-word phrases by TextRank (Mihalcea and Tarau, 2004). In English, inflections of a word are counted together.",
      parameters: defineParameters({
        ...TEXT_PARAMETER,
        "limit?: number": "The number of keywords, from 1 to 50. Defaults to 10.",
      }),
    },
    {
      id: "summarise",
      name: "Summarise",
      description:
        "Selects the most central sentences by TextRank (Mihalcea and Tarau, 2004) and quotes them in text order.",
      parameters: defineParameters({
        ...TEXT_PARAMETER,
        "sentences?: number": "The number of sentences, from 1 to 20. Defaults to 3.",
      }),
    },
    {
      id: "readability",
      name: "Readability",
      description:
        "Counts words, sentences and syllables, estimates the reading time, and computes six readability formulas for English.",
      parameters: defineParameters({ ...TEXT_PARAMETER }),
    },
  ],
};
