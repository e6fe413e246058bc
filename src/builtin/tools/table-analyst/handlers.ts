import type { CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { aggregateGroups } from "./aggregate.ts";
import { correlateColumns } from "./correlate.ts";
import { findOutliers } from "./outliers.ts";
import { profileTable } from "./profile.ts";
import { fitTrend } from "./trend.ts";

export const tableAnalystHandlers: CapabilityHandlers = {
  profile: profileTable,
  aggregate: aggregateGroups,
  correlate: correlateColumns,
  outliers: findOutliers,
  trend: fitTrend,
};
