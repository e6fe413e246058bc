/** A message of a contestant's process: first its origin, then the result of each command. */
export type Reply = { readonly answer: unknown } | { readonly error: string };

/** The command that runs a statement in one of a contestant's databases. */
export function runCommandName(place: number): string {
  return place === 0 ? "run" : `run${place}`;
}

/** The result in a message; throws the error that the contestant reported. */
export function resultIn(message: unknown): unknown {
  if (typeof message === "object" && message !== null) {
    if ("answer" in message) return message.answer;
    if ("error" in message) throw new Error(String(message.error));
  }
  throw new Error("The message is not a reply");
}
