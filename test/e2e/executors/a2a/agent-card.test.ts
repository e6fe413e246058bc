import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { fetchCardForRegistration } from "../../../../src/executors/a2a/agent-card.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";
import { COUNTER, hostile, SECRET } from "./fixtures.ts";

const egress = createEgress(env);
const HINT =
  /; agent cards are usually at http:\/\/127\.0\.0\.1:\d+\/\.well-known\/agent-card\.json$/;
const NOT_A_CARD = "returns JSON that is not an A2A 1.0 agent card: ";

const REFUSED: readonly (readonly [name: string, reason: string | RegExp])[] = [
  ["card-text", new RegExp(`^returns something that is not JSON${HINT.source}`)],
  ["card-broken", new RegExp(`^returns something that is not JSON${HINT.source}`)],
  ["card-list", /^returns JSON that is not an A2A 1\.0 agent card: it is invalid /],
  ["card-nameless", `${NOT_A_CARD}name is invalid (must not be blank)`],
  ["card-types", /^returns JSON that is not an A2A 1\.0 agent card: skills is invalid /],
  ["card-numbers", /: supportedInterfaces\.0\.url is invalid /],
  ["card-old", "points to an agent that does not support A2A 1.0: its card offers 0.3.0"],
  ["card-newer", "points to an agent that does not support A2A 1.0: its card offers 2.0"],
  ["card-none", "points to an agent that does not support A2A 1.0: its card lists no interfaces"],
  [
    "card-grpc",
    "points to an agent that supports A2A 1.0 only over GRPC; JSONRPC or HTTP+JSON is required",
  ],
  [
    "card-private",
    /whose interface is at http:\/\/10\.1\.2\.3, a different origin from the card's/,
  ],
  [
    "card-elsewhere",
    /at https:\/\/agents\.example\.com, a different origin from the card's, http:\/\/127/,
  ],
  ["card-file", /a different origin from the card's/],
  ["card-relative", 'points to an agent whose interface, "/rpc", is not a URL'],
  ["card-huge", "returns more than 256 KiB, which is too large for an agent card"],
  ["card-deep", "returns JSON that is nested more than 100 levels deep"],
  ["card-404", new RegExp(`^returns HTTP 404${HINT.source}`)],
  ["card-500", "returns HTTP 500"],
  ["card-401", "requires a key (HTTP 401)"],
  ["card-loop", /redirects more than \d+ times$/],
];

async function rejectionOf(cardUrl: string, secret: typeof SECRET | null = null): Promise<string> {
  const card = await fetchCardForRegistration(egress, cardUrl, secret);
  if (card.ok) throw new Error(`The card was accepted: ${JSON.stringify(card.value)}`);
  return card.failure;
}

describe("an agent card", () => {
  it("the card of an agent that supports A2A 1.0 is read", async () => {
    const card = await fetchCardForRegistration(egress, COUNTER, null);
    if (!card.ok) throw new Error(card.failure);
    const { origin } = new URL(COUNTER);
    expect(card.value).toMatchObject({
      name: "Word counter",
      description: "Counts the words in a text and finds its longest lines.",
      skills: ["Count words", "text", "statistics"],
      endpoint: {
        url: `${origin}/a2a`,
        binding: "JSONRPC",
        streaming: true,
        takesData: true,
        tenant: "",
      },
    });
  });

  it("a card may give its binding in lowercase", async () => {
    const card = await fetchCardForRegistration(egress, hostile("card-rest").card, null);
    expect(card).toMatchObject({ ok: true, value: { endpoint: { binding: "HTTP+JSON" } } });
  });

  it("the values of an oversized card are truncated to their limits", async () => {
    const card = await fetchCardForRegistration(egress, hostile("card-absurd").card, null);
    if (!card.ok) throw new Error(card.failure);
    const { name, description, skills } = card.value;
    expect(name).toHaveLength(200);
    expect(description).toHaveLength(2_000);
    expect(description).not.toContain("\u0000");
    expect(skills).toHaveLength(50);
    expect(skills.every((skill) => skill.length <= 100)).toBe(true);
    expect(skills.filter((skill) => skill === "same")).toHaveLength(1);
  });
});

describe("an invalid card", () => {
  for (const [name, reason] of REFUSED) {
    it(`the card ${name} is rejected with a reason`, async () => {
      const message = await rejectionOf(hostile(name).card);
      if (typeof reason === "string") expect(message).toBe(reason);
      else expect(message).toMatch(reason);
    });
  }

  it("a card request that hangs ends after ten seconds or when it is aborted", async () => {
    const { card } = hostile("card-hangs");
    const left = await fetchCardForRegistration(egress, card, null, AbortSignal.timeout(200));
    expect(left).toEqual({ ok: false, failure: "cannot be reached: the request was aborted" });
    expect(await rejectionOf(card)).toBe("did not respond within 10 seconds");
  });

  it("a card at an unreachable or invalid URL is rejected", async () => {
    expect(await rejectionOf("http://127.0.0.1:9/card.json")).toMatch(/^cannot be reached: /);
    expect(await rejectionOf("not a url")).toMatch(/^must be an absolute URL/);
    expect(await rejectionOf("ftp://agents.example.com/card")).toMatch(/^must start with https/);
  });
});

describe("an agent's key", () => {
  it("an agent's key is sent with the card request, and masked in the reason for a rejection", async () => {
    const { card, seen } = hostile("card-echo");
    expect(await rejectionOf(card, SECRET)).toBe(
      "points to an agent that does not support A2A 1.0: its card offers ***",
    );
    const [sent] = await seen();
    expect(sent?.headers["authorization"]).toBe(`Bearer ${SECRET.apiKey}`);
    expect(sent?.headers["a2a-version"]).toBe("1.0");
  });

  it("if the card request is rejected because of the key, the reason says so", async () => {
    expect(await rejectionOf(hostile("card-401").card, SECRET)).toBe(
      "rejects the agent's key (HTTP 401)",
    );
  });

  it("if the key is invalid in a header, the reason says so", async () => {
    const secret = { apiKey: "two\nlines", header: "X-Key" };
    expect(await rejectionOf(COUNTER, secret)).toBe(
      "cannot be requested because the key or its header name is not valid in HTTP",
    );
  });
});
