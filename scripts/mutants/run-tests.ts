import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

/** The parts of Vitest's JSON report that this module reads. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

export interface FailedTest {
  readonly file: string;
  readonly name: string;
  readonly message: string;
}

export interface Outcome {
  /** The number of passed tests in each file. */
  readonly passed: ReadonlyMap<string, number>;
  readonly failed: readonly FailedTest[];
  /** The reason if the run itself failed, for example because a file did not load or a timeout was reached. */
  readonly error: string | null;
  readonly seconds: number;
}

/** Runs test files in a separate Vitest process. Kills it and its children after `timeoutMs`. */
export async function runTests(
  root: string,
  files: readonly string[],
  timeoutMs: number,
  only?: RegExp,
): Promise<Outcome> {
  const report = join(root, "mutants-report.json");
  rmSync(report, { force: true });
  const startedAt = Date.now();
  const args = [
    ...files,
    "--reporter=json",
    `--outputFile=${report}`,
    // The cache is keyed by content, so unchanged files are not transformed again.
    "--experimental.fsModuleCache",
    ...(only === undefined ? [] : ["-t", only.source]),
  ];
  const ended = await vitest(root, args, timeoutMs);
  const seconds = (Date.now() - startedAt) / 1_000;
  if (!existsSync(report)) {
    const error = ended.isLate ? `took more than ${timeoutMs / 1_000} s` : lastLines(ended.output);
    return { passed: new Map(), failed: [], error, seconds };
  }
  const outcome = read(readFileSync(report, "utf8"), root);
  const missing = files.filter((file) => !outcome.files.has(file));
  const isFine = ended.code === 0 || outcome.failed.length > 0;
  const error =
    outcome.error ??
    (missing.length > 0 ? `did not run ${missing.join(", ")}` : null) ??
    (isFine ? null : lastLines(ended.output));
  return { passed: outcome.passed, failed: outcome.failed, error, seconds };
}

interface Ended {
  readonly code: number | null;
  readonly isLate: boolean;
  readonly output: string;
}

async function vitest(root: string, args: readonly string[], timeoutMs: number): Promise<Ended> {
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group, the process can be killed together with the runtimes that it starts.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("exit", resolve);
  const endAll = (): void => endGroup(child.pid);
  // These processes write to the copy, so kill them before the copy is deleted.
  process.prependOnceListener("exit", endAll);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endAll();
  }, timeoutMs);
  const code = await promise;
  clearTimeout(timer);
  process.off("exit", endAll);
  endAll();
  return { code, isLate, output };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has already ended.
  }
}

function read(
  text: string,
  root: string,
): Pick<Outcome, "passed" | "failed" | "error"> & { readonly files: ReadonlySet<string> } {
  const { testResults } = reportSchema.parse(JSON.parse(text));
  const passed = new Map<string, number>();
  const failed: FailedTest[] = [];
  let error: string | null = null;
  for (const { name, status, message, assertionResults } of testResults) {
    const file = name.slice(root.length + 1);
    passed.set(file, assertionResults.filter((one) => one.status === "passed").length);
    for (const one of assertionResults.filter((each) => each.status === "failed")) {
      failed.push({ file, name: one.fullName, message: one.failureMessages?.[0] ?? "" });
    }
    const isBroken =
      status === "failed" && !assertionResults.some((one) => one.status === "failed");
    if (isBroken) error = `${file}: ${message}`;
  }
  return { passed, failed, error, files: new Set(passed.keys()) };
}

function lastLines(output: string): string {
  return output.trim().split("\n").slice(-12).join("\n");
}
