/** A message from a contestant's process. The first contains its origin, and each later one the result of a command. */
export type Reply = { readonly answer: unknown } | { readonly error: string };

/** The name of the command that runs an SQL statement in database number `place` of a contestant, counted from 0. */
export function runCommandName(place: number): string {
  return place === 0 ? "run" : `run${place}`;
}

/** Returns the result in a message; throws the error that the contestant reported. */
export function resultIn(message: unknown): unknown {
  if (typeof message === "object" && message !== null) {
    if ("answer" in message) return message.answer;
    if ("error" in message) throw new Error(String(message.error));
  }
  throw new Error("The message is not a reply");
}
