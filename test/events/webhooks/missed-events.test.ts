import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, onTestFinished, vi } from "vitest";
import { DeliveryState } from "../../../src/events/webhooks/delivery-state.store.ts";
import { webhookStatsView } from "../../../src/events/webhooks/view.ts";

const NOW = Date.UTC(2031, 0, 1);
const POSITION = NOW * 1_000;
const HOUR = 3_600_000_000;

/** Runs a function with a new webhook that has read the feed up to POSITION. */
function inLedger(isBehind: boolean, run: (ledger: DeliveryState) => void): Promise<void> {
  const object = env.WEBHOOKS.get(env.WEBHOOKS.idFromName(crypto.randomUUID()));
  return runInDurableObject(object, async (_, { storage }) => {
    const ledger = new DeliveryState(storage);
    ledger.setStart("whk_0123456789abcdef", POSITION, NOW);
    ledger.open(null);
    storage.kv.put("standing", { ...ledger.subscription, isBehind });
    run(ledger);
    await storage.deleteAlarm();
  });
}

const pageAt = (next: number, droppedTo: number) => {
  return { events: [], next, more: true, droppedTo };
};

it("a webhook that is behind shows and logs the range of events that were dropped before it read them", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  await inLedger(true, (ledger) => {
    ledger.storePage(pageAt(POSITION + 3 * HOUR, POSITION + 2 * HOUR), false, NOW);
    ledger.storePage(pageAt(POSITION + 4 * HOUR, POSITION + 2 * HOUR), false, NOW);
    expect(warn).toHaveBeenCalledTimes(1);
    ledger.storePage(pageAt(POSITION + 6 * HOUR, POSITION + 5 * HOUR), false, NOW);
    expect(webhookStatsView(ledger.readStats())).toMatchObject({
      deliveries: {
        missed: { after: "2031-01-01T00:00:00.000Z", upTo: "2031-01-01T05:00:00.000Z" },
      },
    });
  });
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ event: "webhook_events_missed", webhookId: "whk_0123456789abcdef" }),
  );
});

it("a webhook that has read all its events has missed none of the events dropped since then", async () => {
  await inLedger(false, (ledger) => {
    ledger.storePage(pageAt(POSITION + 3 * HOUR, POSITION + 2 * HOUR), false, NOW);
    expect(webhookStatsView(ledger.readStats())).toEqual({
      deliveries: { pending: 0, consecutiveFailures: 0 },
    });
  });
});
