import type { CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { extractKeywords } from "./keywords.ts";
import { measureReadability } from "./readability.ts";
import { summarizeText } from "./summarize.ts";

export const textAnalystHandlers: CapabilityHandlers = {
  keywords: extractKeywords,
  summarise: summarizeText,
  readability: measureReadability,
};
