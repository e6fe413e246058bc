import { Notice } from "../ui/notice.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { formatDuration } from "../ui/relative-time.ts";
import type { useTestWebhook } from "./queries.ts";

/** The result of a test message. */
export function TestResult({ test }: { readonly test: ReturnType<typeof useTestWebhook> }) {
  if (test.error) return <ErrorPanel error={test.error} />;
  if (test.data === undefined) return null;
  const { delivered, attempt } = test.data;
  const outcome = [
    attempt.status === undefined ? "No response" : `Status ${attempt.status}`,
    `in ${formatDuration(attempt.durationMs)}`,
  ].join(" ");
  if (delivered) return <Notice>The receiver accepted the test message. {outcome}.</Notice>;
  return (
    <div
      role="alert"
      className="border-danger/40 bg-danger-soft text-danger grid gap-1 rounded-md border p-3"
    >
      <p>The test message was not delivered. {outcome}.</p>
      {attempt.error !== undefined && <p className="break-words">{attempt.error}</p>}
      {attempt.answer !== undefined && (
        <pre className="text-sm break-all whitespace-pre-wrap">{attempt.answer}</pre>
      )}
    </div>
  );
}
