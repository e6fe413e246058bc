import type { StreamResponse } from "@a2a-js/sdk";
import type { TaskEvent } from "../../domain/events.ts";
import type { Door } from "./door.ts";
import { idOf, type Address } from "./ids.ts";
import type { Life } from "./lives.ts";
import { artifactsIn } from "./show.ts";
import { noteOf } from "./states.ts";
import { metadataOf, statusOf } from "./view.ts";

/** What a stream says of an event that has led to a life as it is: artifacts first, as a status may end it. */
export async function updatesOf(
  door: Door,
  address: Address,
  life: Life,
  event: TaskEvent,
): Promise<StreamResponse[]> {
  if (noteOf(event) === null) return [];
  const ids = { taskId: idOf(address), contextId: address.taskId };
  const isHandedOver = event.type === "submitted" || event.type === "completed";
  const artifacts = isHandedOver ? await artifactsIn(door, address, life) : [];
  return [
    ...artifacts.map((artifact): StreamResponse => ({
      payload: {
        $case: "artifactUpdate",
        value: { ...ids, artifact, append: false, lastChunk: true, metadata: undefined },
      },
    })),
    {
      payload: {
        $case: "statusUpdate",
        value: { ...ids, status: statusOf(address, life), metadata: metadataOf(address, life) },
      },
    },
  ];
}
