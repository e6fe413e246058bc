import { within } from "../clock/within.ts";
import { database } from "../db/client.ts";
import { passes, type FeedEvent, type FeedFilter } from "../domain/feed.ts";
import { FEED_POKE_MS, FEED_WEBHOOKS_MS } from "../domain/limits.ts";
import { webhookOf } from "../webhooks/port.ts";
import { enabledWebhooks } from "../webhooks/store.ts";

interface Subscriber {
  readonly id: string;
  readonly filter: FeedFilter;
}

/** The webhooks that are to be told of news, as the registry has them. */
export class Subscribers {
  readonly #env: Pick<Env, "DB" | "WEBHOOKS">;
  #all: readonly Subscriber[] = [];
  #readAt = -Infinity;
  /** Whom this instance has told of everything that passed their filters, up to now. */
  readonly #upToDate = new Set<string>();
  readonly #lastCalls = new Map<string, symbol>();

  constructor(env: Pick<Env, "DB" | "WEBHOOKS">) {
    this.#env = env;
  }

  /** Reads the registry anew. */
  async refresh(): Promise<void> {
    const readAt = Date.now();
    const all = await enabledWebhooks(database(this.#env.DB));
    const before = new Map(this.#all.map(({ id, filter }) => [id, JSON.stringify(filter)]));
    const isSame = new Set(
      all.flatMap(({ id, filter }) => (before.get(id) === JSON.stringify(filter) ? [id] : [])),
    );
    // What passed by under another filter, the webhook has to look through itself.
    for (const id of this.#lastCalls.keys()) if (!isSame.has(id)) this.#forget(id);
    this.#all = all;
    this.#readAt = readAt;
  }

  #forget(id: string): void {
    this.#upToDate.delete(id);
    this.#lastCalls.delete(id);
  }

  /** Sees to it that the registry was read lately; false while nothing of it is known. */
  async freshen(): Promise<boolean> {
    const age = Date.now() - this.#readAt;
    if (age >= 0 && age <= FEED_WEBHOOKS_MS) return true;
    try {
      await within(FEED_POKE_MS, this.refresh());
    } catch (fault) {
      const reason = fault instanceof Error ? fault.name : "unknown";
      console.warn({ event: "webhooks_not_read", reason });
    }
    return this.#readAt !== -Infinity;
  }

  /** Who wants to hear of some of these events. */
  of(events: readonly FeedEvent[]): string[] {
    return this.#all
      .filter(({ filter }) => events.some((event) => passes(filter, event)))
      .map(({ id }) => id);
  }

  /** Tells webhooks that there is news behind a position; answers with those that could not be told. */
  async poke(ids: readonly string[], position: number): Promise<string[]> {
    const told = await Promise.allSettled(ids.map((id) => this.#tell(id, position)));
    return ids.filter((_, index) => told[index]?.status === "rejected");
  }

  /** What an earlier call has told counts once no later one is on its way: they may overtake each other. */
  async #tell(id: string, position: number): Promise<void> {
    const told = this.#upToDate.delete(id) ? position : 0;
    const call = Symbol(id);
    this.#lastCalls.set(id, call);
    await within(FEED_POKE_MS, webhookOf(this.#env.WEBHOOKS, id).poke(id, told));
    if (this.#lastCalls.get(id) === call) this.#upToDate.add(id);
  }
}
