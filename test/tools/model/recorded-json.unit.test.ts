import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/kernel/json.ts";
import {
  isSecretName,
  redactJson,
  redactText,
  shortenRecordedJson,
  truncateUtf8,
} from "../../../src/tools/model/recorded-json.ts";
import { Rng } from "../../support/rng.ts";

const CASES = 3_000;
const ENCODER = new TextEncoder();
const bytesOf = (text: string): number => ENCODER.encode(text).byteLength;

const WORDS = [
  "harbour",
  "port of 1702",
  "",
  "é".repeat(9),
  "港",
  '"\\\n',
  "🙂",
  "\ud800",
  "a b",
] as const;
const NAMES = [
  "document",
  "path",
  "港",
  "maxTokens",
  "basic",
  "tokens",
  "keyboard",
  "secretary",
] as const;

/** A value without secrets. */
function valueOf(rng: Rng, depth: number): Json {
  const kind = rng.below(depth === 0 ? 4 : 6);
  if (kind === 0) return null;
  if (kind === 1) return rng.below(2) === 0;
  if (kind === 2) return rng.below(1_000_000) / 7;
  if (kind === 3) return rng.pick(WORDS).repeat(rng.below(40));
  const length = rng.below(6);
  if (kind === 4) return Array.from({ length }, () => valueOf(rng, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, (_, i) => [`${rng.pick(NAMES)}${i}`, valueOf(rng, depth - 1)]),
  );
}

describe("a recorded value", () => {
  it("without secrets is unchanged if it fits, and is otherwise the longest beginning that fits", () => {
    const rng = new Rng(1);
    let cut = 0;
    for (let run = 0; run < CASES; run += 1) {
      const value = valueOf(rng, 4);
      const whole = JSON.stringify(value);
      const bytesMax = rng.below(300);
      const { text, isComplete } = redactJson(value, bytesMax);
      expect(bytesOf(text)).toBeLessThanOrEqual(bytesMax);
      expect(isComplete).toBe(bytesOf(whole) <= bytesMax);
      expect(whole.startsWith(text)).toBe(true);
      if (isComplete) expect(JSON.parse(text)).toEqual(JSON.parse(whole));
      // At most three bytes of the next character do not fit.
      else expect(bytesOf(text)).toBeGreaterThan(bytesMax - 4);
      cut += isComplete ? 0 : 1;
    }
    expect(cut).toBeGreaterThan(CASES / 10);
  });

  it("never contains a secret, wherever the secret is and wherever the value is cut off", () => {
    const rng = new Rng(2);
    for (let run = 0; run < CASES; run += 1) {
      const letters = "abcdefghjkmnpqrstuv23456789";
      const secret = Array.from({ length: 24 }, () => letters.charAt(rng.below(letters.length)));
      const marked = `qz${secret.join("")}`;
      const forms: Json[] = [
        { password: marked },
        { passwords: [marked], DB_PASS: marked, dbPass: marked, secrets: { a: marked } },
        { headers: [{ name: "X-Api-Key", value: marked }] },
        { cookies: [{ key: "session_token", value: { raw: marked } }] },
        { setCookies: marked, refreshTokens: [marked], signature: marked },
        { headers: { Authorization: `Bearer ${marked}`, "X-Api-Key": marked } },
        { credentials: { user: [marked], nested: { deep: marked } } },
        `Authorization: Bearer ${marked}`,
        `sk-${marked}`,
        `bsn_${marked}`,
        `ghp_${marked} and AKIA${marked}`,
        `https://user:${marked}@example.com/a?b=c`,
        `https://example.com/a?access_token=${marked}&b=c`,
        `password: ${marked}`,
        `{"password": "two ${marked} words"}`,
        `DB_PASS=${marked} npm start`,
        `password: "O'${marked}"`,
        `-----BEGIN PRIVATE KEY-----\n${marked}\n-----END PRIVATE KEY-----`,
        { [`token=${marked}`]: 1 },
      ];
      const hidden = forms[rng.below(forms.length)] ?? null;
      const value: Json = { before: valueOf(rng, 2), list: [hidden], after: valueOf(rng, 2) };
      const { text } = redactJson(value, rng.below(400));
      expect(text).not.toContain("qz");
    }
  });

  it("masks numbers of fields with secret names, and keeps null and Booleans", () => {
    const value = { pin: 1234, token: null, secret: true, apiKey: "", cvv: [1, "2"] };
    const { text } = redactJson(value, 1_000);
    expect(JSON.parse(text)).toEqual({
      pin: "***",
      token: null,
      secret: true,
      apiKey: "***",
      cvv: ["***", "***"],
    });
  });

  it("keeps ordinary data under names that only resemble secret ones", () => {
    const value = {
      pass: 118,
      first_pass: "compute the totals",
      paidTokens: 9,
      accessTokens: 3,
      signature: "(a: number) => string",
      figures: [
        { name: "cost per token", value: "0.002" },
        { key: "token", value: 17 },
      ],
      notes: "Tests pass: 1200. In the first pass: compute",
    };
    const { text } = redactJson(value, 1_000);
    expect(JSON.parse(text)).toEqual(value);
  });

  it("takes time proportional to the limit, not to the value", () => {
    const long = "Bearer ".repeat(2_000_000);
    const startedAt = performance.now();
    const { text, isComplete } = redactJson({ long, more: [long, long] }, 8_192);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(isComplete).toBe(false);
    expect(bytesOf(text)).toBe(8_192);
  });
});

it.each([
  [{ password: "hunter2" }, true],
  [{ note: "Bearer abcdefghijkl" }, true],
  [{ note: "abc" }, false],
  [{ note: "***" }, false],
])("%j contains a masked secret: %s", (value, isMasked) => {
  expect(redactJson(value, 1_000).isMasked).toBe(isMasked);
  expect(redactJson({ ...value, rows: "x".repeat(1_000) }, 100)).toMatchObject({
    isComplete: false,
    isMasked,
  });
});

describe("redaction of text", () => {
  it.each([
    "-",
    "a-".repeat(50_000),
    "sig".repeat(30_000),
    "eyJ".repeat(30_000),
    "eyJ-".repeat(30_000),
    'password="'.repeat(20_000),
    "://".repeat(30_000),
    "-----BEGIN PRIVATE KEY-----".repeat(3_000),
    "Basic ".repeat(20_000),
    "token ".repeat(20_000),
    `a://${"b".repeat(100_000)}`,
  ])("takes linear time for hostile text (case %#)", (text) => {
    const startedAt = performance.now();
    redactText(text);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it.each([
    ["Basic dXNlcjpwYXNzd29yZA==", "Basic ***"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "***"],
    ["key sk-proj-abcdefgh12345678 end", "key *** end"],
    ["https://example.com/?sig=abcdef&x=1", "https://example.com/?sig=***&x=1"],
    ["postgres://app:hunter2@db.example.com/x", "postgres://***@db.example.com/x"],
  ])("masks %s", (text, masked) => {
    expect(redactText(text)).toBe(masked);
  });

  it.each([
    "Basic understanding of tokens and passwords",
    "The design: a secretary with a keyboard",
    "https://example.com/a?page=2#part",
    "mail someone@example.com about task-force",
    "64ef890964e6945c5ce32bc394ce589de3f7acab2840a33d8fc4f1072b435353",
  ])("keeps %s", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("recognises secret names in every spelling", () => {
    for (const name of ["password", "client_secret", "X-API-Key", "accessToken", "Set-Cookie"]) {
      expect(isSecretName(name), name).toBe(true);
    }
    for (const name of ["tokens", "maxTokens", "secretary", "key", "author", "passwordless"]) {
      expect(isSecretName(name), name).toBe(false);
    }
  });
});

it("cutting text at a number of bytes keeps whole characters and as many as fit", () => {
  const rng = new Rng(3);
  for (let run = 0; run < CASES; run += 1) {
    const text = Array.from({ length: rng.below(12) }, () => rng.pick(["a", "é", "港", "🙂"])).join(
      "",
    );
    const bytesMax = rng.below(40);
    const cut = truncateUtf8(text, bytesMax);
    expect(text.startsWith(cut)).toBe(true);
    expect(cut.isWellFormed()).toBe(true);
    expect(bytesOf(cut)).toBeLessThanOrEqual(bytesMax);
    const [next] = text.slice(cut.length);
    if (next !== undefined) expect(bytesOf(cut + next)).toBeGreaterThan(bytesMax);
  }
});

it("a value that fits into a list is not shortened, and a longer one keeps its size and digest", () => {
  const short = { text: '"abc"', bytes: 5 };
  expect(shortenRecordedJson(short, 5)).toBe(short);
  expect(shortenRecordedJson({ ...short, sha256: "0f" }, 3)).toEqual({
    text: '"ab',
    bytes: 5,
    sha256: "0f",
    isShortened: true,
  });
});
