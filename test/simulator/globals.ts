import { invalidateAgents } from "../../src/agents/agent-cache.ts";
import type { SimulatedPlatform } from "./platform.ts";

/**
 * Puts the world's clock and chance in the place of this machine's, and lets the isolate forget what it saw
 * in another; answers how to undo that.
 */
export function withSimulatedGlobals({ clock, rng, faultPlan }: SimulatedPlatform): () => void {
  invalidateAgents();
  const real = {
    now: Date.now,
    random: Math.random,
    performanceNow: Reflect.get(performance, "now"),
    scheduler: Reflect.get(globalThis, "scheduler"),
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    stackTraceLimit: Error.stackTraceLimit,
    warn: console.warn,
    error: console.error,
  };
  Date.now = () => clock.now;
  performance.now = () => clock.now;
  Object.assign(globalThis, { scheduler: { wait: waitOn(clock) } });
  Math.random = () => rng.next();
  // Nobody reads the stacks of the many errors that are meant.
  Error.stackTraceLimit = 0;
  replaceTimers(
    (run: () => void, ms = 0) => clock.setTimer(run, ms),
    (timer: number) => clock.clearTimer(timer),
  );
  console.warn = (line: unknown) => faultPlan.note(eventIn(line));
  console.error = console.warn;
  return () => {
    Date.now = real.now;
    performance.now = real.performanceNow;
    Object.assign(globalThis, { scheduler: real.scheduler });
    Math.random = real.random;
    Error.stackTraceLimit = real.stackTraceLimit;
    replaceTimers(real.setTimeout, real.clearTimeout);
    console.warn = real.warn;
    console.error = real.error;
  };
}

/** What runs under the simulated clock gives timers a function and milliseconds, and keeps what it gets to clear it. */
function replaceTimers(set: unknown, clear: unknown): void {
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
}

/** The `scheduler.wait` of the platform. */
function waitOn(clock: SimulatedPlatform["clock"]): (ms: number) => Promise<void> {
  return (ms) => new Promise((resolve) => void clock.setTimer(resolve, ms));
}

function eventIn(line: unknown): string {
  const event = typeof line === "object" && line !== null ? Reflect.get(line, "event") : line;
  return `says ${String(event)}`;
}
