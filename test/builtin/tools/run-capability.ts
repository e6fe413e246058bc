import type { JsonObject } from "../../../src/kernel/json.ts";
import type { Result } from "../../../src/kernel/result.ts";

type Handler<Failure> = (
  parameters: JsonObject,
) => Promise<Result<JsonObject, Failure>> | Result<JsonObject, Failure>;

/** Runs the capabilities of one built-in tool and returns their result or their problems. */
export function capabilityRunner<Failure>(handlers: Readonly<Record<string, Handler<Failure>>>) {
  async function run(capability: string, parameters: JsonObject) {
    const handler = handlers[capability];
    if (handler === undefined) throw new Error(`no capability ${capability}`);
    return handler(parameters);
  }
  async function result(capability: string, parameters: JsonObject): Promise<JsonObject> {
    const outcome = await run(capability, parameters);
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
    return outcome.value;
  }
  async function problems(capability: string, parameters: JsonObject) {
    const outcome = await run(capability, parameters);
    return outcome.ok ? [] : outcome.failure;
  }
  return { run, result, problems };
}
