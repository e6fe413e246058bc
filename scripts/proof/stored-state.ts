import { createHash } from "node:crypto";
import type { Client } from "./client.ts";
import { forAll, readWithRetries, type Log } from "./read-state.ts";
import type { AgentShape, FilesShape } from "./responses.ts";

const AT_ONCE = 8;
const DOWNLOAD_MAX_MS = 10_000;

/** The agents and files at the end of a run. */
export interface StoredState {
  readonly agents: Agents;
  readonly fileSets: readonly FileSet[];
}

/** Agents by id. */
export type Agents = ReadonlyMap<string, AgentShape>;

/** All files of a completed task. */
export interface FileSet {
  readonly taskId: string;
  readonly files: readonly Download[];
}

/** A listed file and the result of its download. */
export interface Download {
  readonly name: string;
  readonly size: number;
  readonly sha256?: string;
  readonly status: number;
  readonly bytes: number;
  readonly digest: string;
}

/** Reads every agent to which a task is assigned at the end of a run. */
export async function readAgents(client: Client, logs: readonly Log[]): Promise<Agents> {
  const ids = new Set(logs.flatMap(({ states }) => states.at(-1)?.agentId ?? []));
  return new Map(
    await forAll(
      [...ids],
      AT_ONCE,
      async (id) => [id, await readWithRetries<AgentShape>(client, `/agents/${id}`)] as const,
    ),
  );
}

export async function readFiles(client: Client, logs: readonly Log[]): Promise<FileSet[]> {
  const done = logs.filter(({ shown }) => shown.status === "completed");
  return forAll(done, AT_ONCE, async ({ taskId }) => {
    const path = `/agents/tasks/${taskId}/deliverables`;
    const { deliverables } = await readWithRetries<FilesShape>(client, path);
    const files: Download[] = [];
    for (const { downloadUrl, ...listed } of deliverables) {
      files.push({ ...listed, ...(await download(downloadUrl)) });
    }
    return { taskId, files };
  });
}

async function download(url: string): Promise<Pick<Download, "status" | "bytes" | "digest">> {
  const response = await fetch(url, {
    headers: { Connection: "close" },
    signal: AbortSignal.timeout(DOWNLOAD_MAX_MS),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { status: response.status, bytes: bytes.byteLength, digest };
}
