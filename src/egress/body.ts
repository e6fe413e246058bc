import { joined } from "../bytes/join.ts";
import { EgressError, type EgressFault } from "./contract.ts";
import type { Deadline } from "./deadline.ts";

/** A body that errors with EgressError when it grows past `bytesMax`, breaks off or outlasts its deadline. */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
  deadline: Deadline,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  function end(): void {
    deadline.clear();
    reader.cancel().catch(ignore);
  }
  function giveUp(fault: EgressFault): never {
    end();
    throw new EgressError(fault);
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await reader.read().catch(() => null);
        if (read === null) giveUp(deadline.fault() ?? BROKE_OFF);
        if (read.done) {
          deadline.clear();
          controller.close();
          return;
        }
        size += read.value.byteLength;
        if (size > bytesMax) giveUp({ kind: "too_large", bytesMax });
        controller.enqueue(read.value);
      },
      cancel: end,
    },
    // Nothing is read ahead of the one who reads, so an answer nobody wants costs nothing.
    { highWaterMark: 0 },
  );
}

/** All bytes of a bounded body. Throws EgressError as the body does. */
export async function readWhole(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return joined(chunks);
}

/** Ends an answer whose body nobody will read, so that its connection is free. */
export function discard(body: ReadableStream | null): void {
  body?.cancel().catch(ignore);
}

const BROKE_OFF: EgressFault = {
  kind: "unreachable",
  reason: "the answer broke off before its end",
};

/** An answer that has been given up has no more errors to tell. */
function ignore(): void {}
