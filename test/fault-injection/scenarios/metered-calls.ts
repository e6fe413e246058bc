import { expect } from "vitest";
import { get } from "../../support/client.ts";
import type { RetryingClient } from "../retrying-client.ts";
import { dataOf } from "./scenario.ts";

const PRICE = 0.25;
/** Every call costs the same, so the cost shows the number of calls. */
export const PRICING = { model: "usage", free: 0, overage: PRICE } as const;

interface DayUsage {
  readonly agentId?: string;
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
}

/** Records a client's calls to a tool for comparison with the meter. */
export class MeteredCalls {
  readonly #client: RetryingClient;
  #answered = 0;
  #keys = 0;
  #setbacks = 0;

  constructor(client: RetryingClient) {
    this.#client = client;
  }

  /** Makes one call, with as many requests as it needs. */
  async one<T>(call: () => Promise<T>): Promise<T> {
    const { keys, retries: setbacks } = this.#client;
    const answer = await call();
    this.#answered += 1;
    this.#keys += this.#client.keys - keys;
    this.#setbacks += this.#client.retries - setbacks;
    return answer;
  }

  /**
   * Asserts that the meter counted and charged at least one call per response and at most one per
   * idempotency key, allowing for a fault at the meter itself.
   */
  async expectCounted(toolId: string, agentId?: string): Promise<void> {
    const { days } = dataOf(await get(`/agents/tools/${toolId}/usage`), 200);
    const own: readonly DayUsage[] = days.filter((day: DayUsage) => day.agentId === agentId);
    const sum = (pick: (day: DayUsage) => number): number =>
      own.reduce((before, day) => before + pick(day), 0);
    const good = sum(({ calls, failed }) => calls - failed);
    const manner = this.#client.modeOf("METERS");
    // A record that fails before it reaches the meter is lost, and a duplicate counts twice.
    const least = this.#answered - (manner === "before" ? 1 : 0);
    const most =
      (this.#setbacks === 0 ? this.#answered : this.#keys) + (manner === "duplicate" ? 1 : 0);
    expect(good).toBeGreaterThanOrEqual(least);
    expect(good).toBeLessThanOrEqual(most);
    expect(sum(({ cost }) => cost)).toBe(good * PRICE);
  }
}
