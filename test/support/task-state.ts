import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { TaskEventType } from "../../src/tasks/model/events.ts";
import { get } from "./client.ts";

/** One event of a task's log as a client receives it. */
export interface SeenEvent {
  readonly seq: number;
  readonly type: TaskEventType;
  readonly at: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
  readonly data: any;
}

/** Returns a task's complete log, which must fit on one page. */
export async function eventsOf(taskId: string): Promise<SeenEvent[]> {
  const { body } = await get(`/agents/tasks/${taskId}/events`);
  expect(body.data.nextAfter).toBeNull();
  return body.data.events;
}

export async function typesOf(taskId: string): Promise<TaskEventType[]> {
  return (await eventsOf(taskId)).map(({ type }) => type);
}

/** Returns a task's row in D1, or null if there is none. */
export function rowOf(taskId: string): Promise<Record<string, unknown> | null> {
  return env.DB.prepare("SELECT * FROM directory WHERE id = ?").bind(taskId).first();
}

/** Returns the R2 keys of a task's files from every attempt and round. */
export async function fileKeysOf(taskId: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: `tasks/${taskId}/` });
  return objects.map(({ key }) => key);
}

/** Returns a task's Durable Object. */
export function objectOf(taskId: string): DurableObjectStub {
  return env.TASKS.get(env.TASKS.idFromString(taskId));
}

/**
 * Returns the time of a task's alarm in milliseconds since 1970, or null if no alarm is set or the
 * alarm is running.
 */
export function alarmAt(taskId: string): Promise<number | null> {
  return runInDurableObject(objectOf(taskId), (_, { storage }) => storage.getAlarm());
}
