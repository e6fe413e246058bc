import type { Runs } from "../contract.ts";
import { bar } from "./bar.ts";
import { histogram } from "./histogram.ts";
import { line } from "./line.ts";
import { scatter } from "./scatter.ts";

export const runs: Runs = { bar, line, scatter, histogram };
