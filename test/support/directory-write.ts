import type { DirectoryRow, DirectoryWrite } from "../../src/tasks/model/listing.ts";

/** Builds the first directory write of a completed task. */
export function writeFor(id: string, changes: Partial<DirectoryRow> = {}): DirectoryWrite {
  const row: DirectoryRow = {
    id,
    seq: 2,
    status: "completed",
    task: "Count the wharves.",
    agentId: null,
    agentName: null,
    teamId: null,
    priority: "medium",
    deadline: null,
    attempt: 1,
    rating: null,
    createdAt: Date.now(),
    startedAt: null,
    endedAt: Date.now(),
    keyId: null,
    storedBytes: 0,
    contextId: null,
    details: null,
    title: null,
    labels: null,
    externalId: null,
  };
  return { row: { ...row, ...changes }, written: null };
}
