import type { JsonObject } from "../../../domain/json.ts";
import { withContext } from "./context.ts";
import { told, type Bench, type Made } from "./made.ts";

const LATE =
  "It did not end within the turn's time. It may have been carried out all the same: look before you repeat it.";
const BROKE =
  "A fault of the service interrupted it. It may have been carried out all the same: look before you repeat it.";

/** Uses a capability; answers the question to people where the budget does not allow it. */
export async function useCapability(
  toolId: string,
  capability: string,
  parameters: JsonObject,
  { task, hands, signal }: Bench,
): Promise<Made | string> {
  const used = `${toolId}/${capability}`;
  const calling = hands.call(toolId, capability, withContext(parameters, task.context));
  const over = whenAborted(signal);
  try {
    const outcome = await Promise.race([calling, over.promise]);
    if (outcome === null) return { ...told(LATE), used };
    if (outcome.ok) {
      const result = JSON.stringify(outcome.value);
      return { result, isForeign: true, isBad: false, isOk: true, file: null, used };
    }
    const { kind, message } = outcome.failure;
    if (kind === "budget") return message;
    return { ...told(message), isForeign: true, used };
  } catch (cause) {
    console.error({ event: "model_tool_call_broke", toolId, capability, cause });
    return { ...told(BROKE), used };
  } finally {
    // One that came too late has nobody to tell.
    calling.catch(() => {});
    over.clear();
  }
}

function whenAborted(signal: AbortSignal): { promise: Promise<null>; clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = (): void => resolve(null);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return { promise, clear: () => signal.removeEventListener("abort", end) };
}
