import type { History } from "../history.ts";
import type { FileSet, Download } from "../stored-state.ts";
import type { Log } from "../read-state.ts";
import type { Violation } from "./violation.ts";

/** Checks that every file of a completed task can be downloaded and has the uploaded content. */
export function checkFiles(
  { uploads }: History,
  logs: readonly Log[],
  fileSets: readonly FileSet[],
): Violation[] {
  const byId = new Map(logs.map((log) => [log.taskId, log]));
  return fileSets.flatMap(({ taskId, files }) => {
    const listed = new Set(files.map(({ name }) => name));
    const own = uploads.filter((one) => one.taskId === taskId);
    const last = lastAttemptOf(byId.get(taskId));
    const missing = own
      .filter(({ name }) => last.includes(name) && !listed.has(name))
      .map(({ name }) => `${name} was uploaded but is not listed`);
    const handedIn = new Map(own.map(({ name, sha256 }) => [name, sha256]));
    const wrong = files.flatMap((file) => problemsOf(file, handedIn.get(file.name)));
    return [...missing, ...wrong].map((message) => ({
      rule: "files have the uploaded content",
      about: taskId,
      message,
    }));
  });
}

/** The events of the last attempt, as text. Files from earlier attempts are not part of its deliverables. */
function lastAttemptOf(log: Log | undefined): string {
  const events = log?.events ?? [];
  const begun = events.findLastIndex(({ type }) => type === "retried");
  return JSON.stringify(events.slice(begun + 1));
}

function problemsOf(file: Download, handedIn: string | undefined): string[] {
  const { name, size, sha256, status, bytes, digest } = file;
  if (status !== 200 || bytes !== size)
    return [`${name}: status ${status}, ${bytes} of ${size} bytes`];
  const wanted = handedIn ?? sha256;
  const isSame = wanted === undefined || digest === wanted;
  return isSame ? [] : [`${name}: the content differs from the uploaded file`];
}
