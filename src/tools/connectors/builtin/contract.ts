import type { JsonObject } from "../../../domain/json.ts";
import type { Problem } from "../../../domain/problem.ts";
import type { Result } from "../../../domain/result.ts";

/**
 * The work behind one capability of a built-in tool: computes its result from checked parameters.
 * A parameter whose content cannot be worked with is a Problem whose path starts with its name.
 */
export type Run = (parameters: JsonObject) => Promise<Result<JsonObject, Problem[]>>;

/** The capabilities of one built-in tool by id. */
export type Runs = Readonly<Record<string, Run>>;
