import type { Recorder } from "./recorder.ts";

/** Reads and verifies the audit log. The policies are recorded before. */
export async function recordAudit(recorder: Recorder): Promise<void> {
  const parameters = { subjectType: "policy", subjectId: "no-large-bookings", limit: 2 };
  await recorder.record("listAudit", { parameters });
  await recorder.record("verifyAudit", { body: {} });
}
