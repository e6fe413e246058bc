import type { Key, Viewer } from "../../keys/model/key.ts";

/** Who caused an event: a key and, if a person used the console, the session. */
export interface EventAuthor {
  readonly keyId: string;
  /** The key's name when the event occurred. */
  readonly keyName: string;
  readonly sessionId?: string;
}

/** Commands and events that clients cause. `by` is absent in events from earlier releases. */
export interface Authored {
  readonly by?: EventAuthor;
}

/** Who sends a command, and which tasks the sender may see. */
export interface CommandSender extends Viewer {
  readonly by: EventAuthor;
}

/** The author of what a request causes. `sessionId`: the console session that authenticated it, if any. */
export function authorOf({ id, name }: Pick<Key, "id" | "name">, sessionId?: string): EventAuthor {
  const author = { keyId: id, keyName: name };
  return sessionId === undefined ? author : { ...author, sessionId };
}

export function senderOf(
  key: Pick<Key, "id" | "name" | "agentId" | "teamId">,
  sessionId?: string,
): CommandSender {
  return { agentId: key.agentId, teamId: key.teamId, by: authorOf(key, sessionId) };
}

/** Event data with the author of the command that caused the event, if it has one. */
export function withAuthor<Data extends object>(data: Data, { by }: Authored): Data & Authored {
  return by === undefined ? data : { ...data, by };
}

export function withoutAuthor<Data extends Authored>({ by, ...data }: Data): Omit<Data, "by"> {
  return data;
}
