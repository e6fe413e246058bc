/** What a contestant's process says: its origin once it serves, then what came of each order. */
export type Reply = { readonly answer: unknown } | { readonly fault: string };

/** The answer in a message; throws what went wrong over there. */
export function answerIn(message: unknown): unknown {
  if (typeof message === "object" && message !== null) {
    if ("answer" in message) return message.answer;
    if ("fault" in message) throw new Error(String(message.fault));
  }
  throw new Error("That is no reply");
}
