import { formatCost } from "../tasks/cost.ts";
import type { Limit } from "./queries.ts";

/** An amount in the unit of the limit: "$2.50", "3 calls", "1 token". */
export function formatAmount(measure: Limit["measure"], amount: number): string {
  if (measure === "usd") return formatCost(amount);
  const unit = measure.slice(0, -1);
  return `${amount.toLocaleString("en")} ${unit}${amount === 1 ? "" : "s"}`;
}

const PERIODS: Readonly<Record<Limit["per"], string>> = {
  call: "per call",
  day: "per day",
  week: "per week",
  month: "per month",
  total: "in total",
};

/** The rule in words: "At most $5.00 per day". */
export function formatRule({ measure, limit, per }: Limit): string {
  return `At most ${formatAmount(measure, limit)} ${PERIODS[per]}`;
}

/** A used amount, before the limit with its unit. */
function formatUsed(measure: Limit["measure"], used: number): string {
  return measure === "usd" ? formatCost(used) : used.toLocaleString("en");
}

/** The use in words. */
export function formatUse({ measure, used, reserved, limit }: Limit): string {
  const inProgress =
    reserved > 0 ? `, up to ${formatAmount(measure, reserved)} more in progress` : "";
  return `${formatUsed(measure, used)} of ${formatAmount(measure, limit)} used${inProgress}`;
}

/** The use in a period: "$4.00 of $5.00 per day", "2 of 3 calls per day". */
export function formatPeriodUse({
  measure,
  used,
  limit,
  per,
}: Pick<Limit, "measure" | "used" | "limit" | "per">): string {
  return `${formatUsed(measure, used)} of ${formatAmount(measure, limit)} ${PERIODS[per]}`;
}

/** The widths of a bar's parts in percent, which together are at most 100. */
export function limitBarOf({ used, reserved, limit }: Limit): {
  readonly used: number;
  readonly reserved: number;
} {
  const usedShare = Math.min(100, (used / limit) * 100);
  return {
    used: usedShare,
    reserved: Math.min(100 - usedShare, (reserved / limit) * 100),
  };
}

/** How close the use is to the limit. */
export function limitStateOf({ used, warnAt, limit }: Limit): "low" | "high" | "full" {
  if (used >= limit) return "full";
  return used >= warnAt * limit ? "high" : "low";
}
