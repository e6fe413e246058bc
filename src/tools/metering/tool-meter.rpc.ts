import type {
  CircuitBreaker,
  AdmissionTransition,
  AgentMeter,
  UpstreamHealth,
  CallPermit,
  CallTerms,
} from "../model/tool-meter.ts";
import type { AgentDayUsage, ToolCall, ToolCallRecord, UsageScope } from "../model/usage.ts";
import type { UsageGroup, UsageGrouping, UsagePeriod } from "../model/usage-groups.ts";
import { withRequestId } from "../../platform/request-id.ts";

export interface ToolMeterRpc {
  /** Counts a call against the rate limit and prices it, or rejects it. */
  admit(terms: CallTerms): Promise<AdmissionDecision>;
  /** Records how an admitted call ended. A failed call does not count and costs nothing. */
  settle(pass: CallPermit, call: ToolCall, health: UpstreamHealth): Promise<void>;
  /** Returns the usage within `scope` since a day, oldest first, and the last calls, newest first. */
  usage(from: string, scope: UsageScope): Promise<MeterUsage>;
  /** Returns the sums of the usage within `scope`; null if there are more than `groupsMax`. */
  sumUsage(query: MeterQuery, scope: UsageScope): Promise<readonly UsageGroup[] | null>;
}

/** The decision on a call, without the meter's state. */
export type AdmissionDecision =
  | Omit<Extract<AdmissionTransition, { admitted: true }>, "state">
  | Extract<AdmissionTransition, { admitted: false }>;

export interface MeterQuery {
  readonly period: UsagePeriod;
  readonly groupBy: readonly UsageGrouping[];
  readonly groupsMax: number;
}

export interface MeterUsage {
  readonly days: readonly AgentDayUsage[];
  readonly recent: readonly ToolCallRecord[];
  readonly breaker: CircuitBreaker;
  /** The open circuit breakers of agents within the scope. */
  readonly agentBreakers: readonly Pick<AgentMeter, "agentId" | "breaker">[];
}

export function toolMeterStub(meters: Env["METERS"], toolId: string): ToolMeterRpc {
  return withRequestId(meters.get(meters.idFromName(toolId)));
}
