import type { Runs } from "../contract.ts";
import { aggregate } from "./aggregate.ts";
import { correlate } from "./correlate.ts";
import { outliers } from "./outliers.ts";
import { profile } from "./profile.ts";
import { trend } from "./trend.ts";

export const runs: Runs = { profile, aggregate, correlate, outliers, trend };
