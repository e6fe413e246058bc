import { DurableObject } from "cloudflare:workers";
import { ONCE_PART_CHARACTERS_MAX } from "../domain/limits.ts";
import { expiresAt, mayEnd, standingOf, type Taking } from "../domain/once.ts";
import type { OncePort, Verdict } from "./port.ts";

const TAKING = "taking";

/**
 * One idempotency key: who took it, and the answer, each a row. Nothing is awaited between looking and
 * writing, so that of any number of requests one takes the key.
 */
export class OnceObject extends DurableObject<Env> implements OncePort {
  async begin(fingerprint: string, ticket: string): Promise<Verdict> {
    const now = Date.now();
    const taking = this.#taking();
    const kind = standingOf(taking, this.#isAnswered(), fingerprint, now);
    if (kind === "answered") return { kind, answer: this.#answer() };
    if (kind === "free") this.#take({ fingerprint, ticket, at: now }, taking !== null);
    return { kind };
  }

  async keep(ticket: string, answer: string): Promise<void> {
    if (!mayEnd(this.#taking(), this.#isAnswered(), ticket)) return;
    this.ctx.storage.transactionSync(() => {
      for (let part = 0; part * ONCE_PART_CHARACTERS_MAX < answer.length; part += 1) {
        const from = part * ONCE_PART_CHARACTERS_MAX;
        const text = answer.slice(from, from + ONCE_PART_CHARACTERS_MAX);
        this.ctx.storage.kv.put(partName(part), text);
      }
    });
  }

  async release(ticket: string): Promise<void> {
    if (mayEnd(this.#taking(), this.#isAnswered(), ticket)) await this.ctx.storage.deleteAll();
  }

  async lose(ticket: string): Promise<void> {
    const taking = this.#taking();
    if (taking === null || !mayEnd(taking, this.#isAnswered(), ticket)) return;
    this.ctx.storage.kv.put(TAKING, { ...taking, isLost: true } satisfies Taking);
  }

  override async alarm(): Promise<void> {
    const taking = this.#taking();
    // The key may have expired and been taken anew before the alarm came.
    if (taking !== null && Date.now() < expiresAt(taking)) {
      await this.ctx.storage.setAlarm(expiresAt(taking));
    } else await this.ctx.storage.deleteAll();
  }

  /** Takes the key in one transaction with its end; the answer of an expired one goes. */
  #take(taking: Taking, isExpired: boolean): void {
    const { storage } = this.ctx;
    storage.transactionSync(() => {
      if (isExpired) this.#forgetAnswer();
      storage.kv.put(TAKING, taking);
      void storage.setAlarm(expiresAt(taking));
    });
  }

  #taking(): Taking | null {
    return this.ctx.storage.kv.get<Taking>(TAKING) ?? null;
  }

  #isAnswered(): boolean {
    return this.#part(0) !== null;
  }

  #answer(): string {
    let answer = "";
    for (let part = 0, text = this.#part(0); text !== null; text = this.#part((part += 1))) {
      answer += text;
    }
    return answer;
  }

  #forgetAnswer(): void {
    for (let part = 0; this.ctx.storage.kv.delete(partName(part)); part += 1);
  }

  #part(part: number): string | null {
    return this.ctx.storage.kv.get<string>(partName(part)) ?? null;
  }
}

function partName(part: number): string {
  return `answer:${part}`;
}
