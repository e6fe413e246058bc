import { ApiError } from "./client.ts";

/** The problem of the field at a path, such as `limits.openStreams`, or of anything inside it. */
export function problemAt(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = error.problems.find(
    (problem) =>
      problem.path === path ||
      problem.path.startsWith(`${path}.`) ||
      problem.path.startsWith(`${path}[`),
  );
  if (found === undefined) return undefined;
  return found.path === path ? found.message : `${found.path} ${found.message}`;
}
