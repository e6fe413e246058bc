import type { Failure } from "../../kernel/failure.ts";
import type { Result } from "../../kernel/result.ts";
import type { ToolCall } from "../../tasks/model/task.ts";

/** What pays for a call: the budget of a task. */
export interface CallBudget {
  /**
   * Sets one call and its price aside. Answers the most that the call may cost, in US dollars (null:
   * any price), or why it may not be made.
   */
  reserve(priceMax: number): Promise<Result<number | null, Failure>>;
  /** The call was made: writes it down and returns what it did not cost. */
  commit(call: ToolCall): Promise<void>;
  /** The call was not made; `tooDear` because the budget does not pay for it, which is what is answered. */
  release(tooDear: boolean): Promise<Failure | null>;
}
