import type { Rng } from "../support/rng.ts";
import { shortenTimeouts } from "../support/short-timeouts.ts";
import { interceptCalls, type Binding, type CallInterceptor } from "./interpose-bindings.ts";
import { RetryingClient } from "./retrying-client.ts";
import { Injection, type Fault } from "./injection.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { countSentTurns, AlarmDriver, type AlarmMode } from "./alarm-driver.ts";

/**
 * Far longer than the slowest scenario takes. Scenarios also run outside tests, where no other
 * timeout applies.
 */
const JOURNEY_MAX_MS = 15_000;

/** The result of a scenario. */
export interface ScenarioResult {
  readonly hasFired: boolean;
  readonly calls: (binding: Binding) => number;
  readonly successes: number;
  readonly retries: number;
  /** The number of extra alarm runs. */
  readonly spuriousAlarms: number;
}

/** How alarms run, and whether some also run during calls. */
export interface AlarmPlan {
  readonly manner: AlarmMode;
  readonly duringCalls: Rng | null;
}

/**
 * Runs a scenario with at most one fault, lifts the fault, waits until no work is pending, and
 * checks the result.
 */
export async function runScenario(
  journey: Scenario,
  fault: Fault | null,
  alarms: AlarmPlan = { manner: "set", duringCalls: null },
): Promise<ScenarioResult> {
  const travel = await journey.prepare();
  const injection = new Injection(fault);
  const client = new RetryingClient(injection);
  const alarmDriver = new AlarmDriver(injection, alarms.manner);
  const pass: CallInterceptor = (binding, real) =>
    injection.intercept(binding, binding === "TURNS" ? sending(real) : real);
  const clear = interceptCalls(
    alarms.duringCalls === null ? pass : alarmed(pass, alarmDriver, alarms.duringCalls),
  );
  const stuck = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const words = `last request: ${client.lastAsked}, last alarm: ${alarmDriver.lastWoken}`;
    stuck.reject(new Error(`The scenario did not end within ${JOURNEY_MAX_MS} ms (${words})`));
  }, JOURNEY_MAX_MS);
  const lengthen = fault?.mode === "hang" ? shortenTimeouts(injection) : null;
  const toItsEnd = async (): Promise<void> => {
    const look = await travel(client, alarmDriver);
    injection.lift();
    await injection.landed();
    await alarmDriver.settle();
    await look();
  };
  try {
    await Promise.race([toItsEnd(), stuck.promise]);
  } finally {
    clearTimeout(timer);
    injection.lift();
    lengthen?.();
    clear();
  }
  return {
    hasFired: injection.hasFired,
    calls: (binding) => injection.calls(binding),
    successes: client.successes,
    retries: client.retries,
    spuriousAlarms: alarmDriver.spuriousAlarms,
  };
}

/** Runs all alarms before some randomly chosen calls, in the middle of the caller's work. */
function alarmed(pass: CallInterceptor, alarmDriver: AlarmDriver, rng: Rng): CallInterceptor {
  let isAlarm = false;
  return async (binding, real) => {
    if (!isAlarm && rng.oneIn(4)) {
      isAlarm = true;
      await alarmDriver.runSpuriousAlarms().finally(() => {
        isAlarm = false;
      });
    }
    return pass(binding, real);
  };
}

/** Counts each message sent to the turn queue. */
function sending(real: () => Promise<unknown>): () => Promise<unknown> {
  return async () => {
    countSentTurns(1);
    return real();
  };
}
