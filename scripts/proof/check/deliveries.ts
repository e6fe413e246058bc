import { isDeepStrictEqual } from "node:util";
import { isTerminal, type TaskStatus } from "../../../src/tasks/model/task.ts";
import type { FollowedStream } from "../load/follower.ts";
import type { Receiver } from "../load/receiver.ts";
import type { Log } from "../read-state.ts";
import type { EventShape } from "../responses.ts";
import { feedDataOf } from "./feed-data.ts";
import type { Violation } from "./violation.ts";

/** Events of ended tasks that the receiver has not received, as `<task id>.<seq>`. */
export function missingEvents(logs: readonly Log[], receiver: Receiver): string[] {
  return logs.flatMap(({ taskId, events, states }) => {
    if (!isOver(states.at(-1)?.status)) return [];
    return events
      .filter((event) => !receiver.messages.has(idOf(taskId, event)))
      .map(({ seq }) => `${taskId}.${seq}`);
  });
}

/**
 * Checks that every message is signed and matches an event in a log, and that messages with the same id are identical.
 */
export function checkMessages(logs: readonly Log[], receiver: Receiver): Violation[] {
  const problems = receiver.problems.map((message) => ({ about: null, message }));
  const different = logs.flatMap(({ taskId, events }) => {
    return events.flatMap((event) => {
      const id = idOf(taskId, event);
      const message = receiver.messages.get(id);
      if (message === undefined) return [];
      const isAsWritten = message.type === `task.${event.type}` && message.timestamp === event.at;
      const isSame =
        isDeepStrictEqual(message.data.data, feedDataOf(event)) && message.data.taskId === taskId;
      return isAsWritten && isSame
        ? []
        : [{ about: taskId, message: `${id} differs from the log` }];
    });
  });
  const written = new Set(
    logs.flatMap(({ taskId, events }) => events.map((event) => idOf(taskId, event))),
  );
  const foreign = [...receiver.messages.keys()]
    .filter((id) => !written.has(id))
    .map((id) => ({ about: null, message: `${id} was received but is not in any log` }));
  return [...problems, ...different, ...foreign].map((one) => ({
    rule: "webhook messages match the log",
    ...one,
  }));
}

/**
 * Checks that each follower of a task received its events in order, without gaps or repeats, across all reconnections.
 */
export function checkFollowers(
  logs: readonly Log[],
  streams: readonly FollowedStream[],
): Violation[] {
  const byId = new Map(logs.map((log) => [log.taskId, log]));
  return streams.flatMap(({ taskId, events, isComplete }) => {
    const log = byId.get(taskId);
    const expected = log?.events.slice(0, events.length) ?? [];
    const last = log?.states[events.length - 1];
    const problems: string[] = [];
    if (!isDeepStrictEqual(expected, events)) {
      problems.push(
        `received ${events.map(({ seq }) => seq).join()}, which differs from the start of the log`,
      );
    }
    if (isComplete && !isOver(last?.status))
      problems.push(`the stream was complete, but the task was ${last?.status}`);
    return problems.map((message) => ({
      rule: "a stream delivers every event once",
      about: taskId,
      message,
    }));
  });
}

function idOf(taskId: string, { seq, at }: EventShape): string {
  return `evt_${taskId}_${seq}_${Date.parse(at)}`;
}

function isOver(status: TaskStatus | undefined): boolean {
  return status !== undefined && isTerminal(status);
}
