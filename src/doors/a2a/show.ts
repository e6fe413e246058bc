import type { Artifact, Task } from "@a2a-js/sdk";
import { linked } from "../../tasks/deliverables.ts";
import type { Door } from "./door.ts";
import type { Address } from "./ids.ts";
import type { Life } from "./lives.ts";
import { artifactsOf, taskOf } from "./view.ts";

type Shower = Pick<Door, "origin"> & { readonly env: Pick<Env, "SIGNING_KEY"> };

/** A whole life. Files of earlier rounds and attempts are none of it: only what holds now can be read. */
export async function shown(
  door: Shower,
  address: Address,
  life: Life,
  historyMax: number | null,
): Promise<Task> {
  return taskOf(address, life, await artifactsIn(door, address, life), historyMax);
}

export async function artifactsIn(
  { env, origin }: Shower,
  { taskId }: Address,
  { task: { outcome } }: Life,
): Promise<Artifact[]> {
  if (outcome === null) return [];
  return artifactsOf(outcome, linked(env, origin, taskId, outcome.deliverables));
}
