import type { Dice } from "../domain/dice.ts";
import { shortenWaits } from "../support/short-waits.ts";
import { interpose, type Binding, type Passage } from "./bindings.ts";
import { Client } from "./client.ts";
import { Injection, type Fault } from "./fault.ts";
import type { Journey } from "./journeys/journey.ts";
import { mailSent, World, type AlarmManner } from "./world.ts";

/** Many times what the slowest takes. Journeys are made outside of tests, too, where no other end comes. */
const JOURNEY_MAX_MS = 15_000;

/** What a journey has shown. */
export interface Shown {
  readonly hasFired: boolean;
  readonly calls: (binding: Binding) => number;
  readonly successes: number;
  readonly setbacks: number;
  /** Alarms that came although none was due. */
  readonly strays: number;
}

/** How alarms come, and whether some come in the middle of calls. */
export interface Alarms {
  readonly manner: AlarmManner;
  readonly duringCalls: Dice | null;
}

/** Makes a journey while one fault befalls it, lifts that, lets everything come to rest, and looks. */
export async function run(
  journey: Journey,
  fault: Fault | null,
  alarms: Alarms = { manner: "set", duringCalls: null },
): Promise<Shown> {
  const travel = await journey.prepare();
  const injection = new Injection(fault);
  const client = new Client(injection);
  const world = new World(injection, alarms.manner);
  const pass: Passage = (binding, real) =>
    injection.passage(binding, binding === "TURNS" ? sending(real) : real);
  const clear = interpose(
    alarms.duringCalls === null ? pass : alarmed(pass, world, alarms.duringCalls),
  );
  const stuck = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const words = `${client.lastAsked} and ${world.lastWoken} are the last that began`;
    stuck.reject(new Error(`A journey has no end after ${JOURNEY_MAX_MS} ms: ${words}`));
  }, JOURNEY_MAX_MS);
  const lengthen = fault?.manner === "hang" ? shortenWaits(injection) : null;
  const toItsEnd = async (): Promise<void> => {
    const look = await travel(client, world);
    injection.lift();
    await injection.landed();
    await world.settle();
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
    setbacks: client.setbacks,
    strays: world.strays,
  };
}

/** Before some calls, as the dice decide, all alarms come: in the middle of whatever made the call. */
function alarmed(pass: Passage, world: World, dice: Dice): Passage {
  let isAlarm = false;
  return async (binding, real) => {
    if (!isAlarm && dice.oneIn(4)) {
      isAlarm = true;
      await world.stray().finally(() => {
        isAlarm = false;
      });
    }
    return pass(binding, real);
  };
}

/** Each message that goes out is one that will come in. */
function sending(real: () => Promise<unknown>): () => Promise<unknown> {
  return async () => {
    mailSent(1);
    return real();
  };
}
