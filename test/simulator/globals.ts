import { invalidateAgents } from "../../src/agents/agent-cache.ts";
import type { SimulatedPlatform } from "./platform.ts";

/**
 * Replaces the global clock, timers, random source and console with simulated ones, and clears the
 * agent cache. Returns a function that restores the globals.
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
  // Most errors are intentional, and nobody reads their stacks.
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

/**
 * Assigns without type checks. This is safe because simulated code passes only a function and
 * milliseconds to a timer, and uses the timer's handle only to clear it.
 */
function replaceTimers(set: unknown, clear: unknown): void {
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
}

/** Simulates the platform's `scheduler.wait`. */
function waitOn(clock: SimulatedPlatform["clock"]): (ms: number) => Promise<void> {
  return (ms) => new Promise((resolve) => void clock.setTimer(resolve, ms));
}

function eventIn(line: unknown): string {
  const event = typeof line === "object" && line !== null ? Reflect.get(line, "event") : line;
  return `logs ${String(event)}`;
}
