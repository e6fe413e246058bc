import type { Runs } from "../contract.ts";
import { convert } from "./convert.ts";
import { detect } from "./detect.ts";

export const runs: Runs = { convert, detect };
