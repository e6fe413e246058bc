import type { CircuitBreaker } from "../model/circuit-breaker.ts";
import type { AgentMeter } from "../model/agent-meter.ts";
import type {
  AdmissionTransition,
  UpstreamHealth,
  CallPermit,
  CallTerms,
} from "../model/tool-meter.ts";
import type { ToolCallRecord, AgentDayUsage, UsageScope } from "../model/usage.ts";
import { toRpc } from "../../platform/request-id.ts";

/** What a tool's meter does, as its callers see it. */
export interface ToolMeterRpc {
  /** Counts a call against the rate limit and prices it, or says when to come again. */
  admit(terms: CallTerms): Promise<AdmissionDecision>;
  /** Writes down how an admitted call ended; one that failed gives back its place and its price. */
  settle(pass: CallPermit, call: ToolCallRecord, health: UpstreamHealth): Promise<void>;
  /** Usage within `scope` from a day on, oldest first, and the last calls, newest first. */
  usage(from: string, scope: UsageScope): Promise<MeterUsage>;
}

/** An admission as callers see it: without the meter's own state. */
export type AdmissionDecision =
  | Omit<Extract<AdmissionTransition, { admitted: true }>, "state">
  | Extract<AdmissionTransition, { admitted: false }>;

export interface MeterUsage {
  readonly days: readonly AgentDayUsage[];
  readonly recent: readonly ToolCallRecord[];
  readonly breaker: CircuitBreaker;
  /** Open circuits of agents within the scope. */
  readonly agentBreakers: readonly Pick<AgentMeter, "agentId" | "breaker">[];
}

/** The meter of a tool. */
export function toolMeterStub(meters: Env["METERS"], toolId: string): ToolMeterRpc {
  return toRpc(meters.get(meters.idFromName(toolId)));
}
