/** What a contestant's process says: its origin once it serves, then what came of each order. */
export type Reply = { readonly answer: unknown } | { readonly fault: string };

/** The order that runs a statement in a contestant's database, of which there may be several. */
export function runOrder(place: number): string {
  return place === 0 ? "run" : `run${place}`;
}

/** The answer in a message; throws what went wrong over there. */
export function answerIn(message: unknown): unknown {
  if (typeof message === "object" && message !== null) {
    if ("answer" in message) return message.answer;
    if ("fault" in message) throw new Error(String(message.fault));
  }
  throw new Error("That is no reply");
}
