import type { Runs } from "../contract.ts";
import { diff } from "./diff.ts";
import { query } from "./query.ts";
import { validate } from "./validate.ts";

export const runs: Runs = { validate, query, diff };
