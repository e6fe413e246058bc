import type { Recorder } from "./recorder.ts";

const ID = "harbour-bookings";

/** Creates, reads, changes and deletes spending limits. */
export async function recordLimits(recorder: Recorder): Promise<void> {
  const limit = {
    name: "Bookings at the harbour",
    scope: { toolId: "harbour" },
    measure: "usd",
    per: "month",
    timeZone: "Europe/Berlin",
    limit: 100,
  };
  await recorder.record("createLimit", { body: { id: ID, ...limit } });
  const put = {
    parameters: { id: "harbour-calls" },
    body: { ...limit, measure: "calls", per: "day", enabled: false },
  };
  await recorder.record("putLimit", put);
  await recorder.record("putLimit", put);
  await recorder.record("getLimit", { parameters: { id: ID } });
  await recorder.record("listLimits", { parameters: { limit: 20, offset: 0 } });
  await recorder.record("changeLimit", { parameters: { id: ID }, body: { limit: 250 } });
  await recorder.record("deleteLimit", { parameters: { id: "harbour-calls" } });
}
