import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addSigningSecret,
  listActiveSecrets,
  type SigningSecret,
} from "../../../src/events/model/webhook.ts";

const DAY_MS = 86_400_000;
const START = Date.parse("2030-01-01T00:00:00Z");

describe("the secrets of a webhook", () => {
  it("a webhook has one active secret, two for a day after a rotation, and then one again", () => {
    const first: SigningSecret[] = [{ secret: "one", until: null }];
    expect(listActiveSecrets(first, START + 1_000 * DAY_MS)).toEqual(["one"]);
    const both = addSigningSecret(first, "two", START);
    expect(listActiveSecrets(both, START)).toEqual(["two", "one"]);
    expect(listActiveSecrets(both, START + DAY_MS - 1)).toEqual(["two", "one"]);
    expect(listActiveSecrets(both, START + DAY_MS)).toEqual(["two"]);
  });

  it("the newest secret is always active, and the four before it are active for a day each", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 2 * DAY_MS }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 2 * DAY_MS }), (pauses, laterMs) => {
        let now = START;
        let secrets: readonly SigningSecret[] = [{ secret: "s0", until: null }];
        const replacedAt: number[] = [];
        for (const [index, pauseMs] of pauses.entries()) {
          now += pauseMs;
          replacedAt.push(now);
          secrets = addSigningSecret(secrets, `s${index + 1}`, now);
        }
        now += laterMs;
        const earlier = replacedAt.flatMap((at, index) => (now < at + DAY_MS ? [`s${index}`] : []));
        const expected = [`s${pauses.length}`, ...earlier.toReversed()].slice(0, 5);
        expect(listActiveSecrets(secrets, now)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
