import { concatBytes } from "../../kernel/bytes.ts";
import { EgressError, type EgressFailure } from "./contract.ts";
import type { RequestTimeout } from "./request-timeout.ts";

/** A body that fails with an EgressError if it exceeds `bytesMax`, is interrupted or misses its deadline. */
export function limitBody(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
  deadline: RequestTimeout,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  function end(): void {
    deadline.clear();
    reader.cancel().catch(ignoreError);
  }
  function abort(failure: EgressFailure): never {
    end();
    throw new EgressError(failure);
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await reader.read().catch(() => null);
        if (read === null) abort(deadline.failure() ?? INTERRUPTED);
        if (read.done) {
          deadline.clear();
          controller.close();
          return;
        }
        size += read.value.byteLength;
        if (size > bytesMax) abort({ kind: "too_large", bytesMax });
        controller.enqueue(read.value);
      },
      cancel: end,
    },
    // Do not read ahead, so that an unread response costs nothing.
    { highWaterMark: 0 },
  );
}

/** Reads all bytes of a limited body. Throws the body's EgressError. */
export async function readAllBytes(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return concatBytes(chunks);
}

/** Cancels a body that will not be read, to free its connection. */
export function discardBody(body: ReadableStream | null): void {
  body?.cancel().catch(ignoreError);
}

const INTERRUPTED: EgressFailure = {
  kind: "unreachable",
  reason: "the connection closed before the end of the response",
};

/** Errors from a cancelled response do not matter. */
function ignoreError(): void {}
