import type { Runs } from "../contract.ts";
import { keywords } from "./keywords.ts";
import { readability } from "./readability.ts";
import { summarise } from "./summarise.ts";

export const runs: Runs = { keywords, summarise, readability };
