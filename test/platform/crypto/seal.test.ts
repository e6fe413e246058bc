import { describe, expect, it } from "vitest";
import { unseal, seal, parseSealKeys, type SealKeys } from "../../../src/platform/crypto/seal.ts";

const ONE = `one:${btoa("a".repeat(32))}`;
const TWO = `two:${btoa("b".repeat(32))}`;

function keys(secret: string): SealKeys {
  const read = parseSealKeys(secret);
  if (!read.ok) throw new Error("The keys are malformed");
  return read.value;
}

describe("a seal", () => {
  it("a seal is a compact JWE, encrypted directly with AES-256-GCM, that names its key and its use", async () => {
    const sealed = await seal(keys(ONE), "use", { secret: "x" });
    const [header = "", key, iv = "", text = "", tag = ""] = sealed.split(".");
    expect(JSON.parse(atob(header))).toEqual({
      alg: "dir",
      enc: "A256GCM",
      kid: "one",
      use: "use",
    });
    expect([key, iv.length, tag.length]).toEqual(["", 16, 22]);
    expect(atob(text.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("secret");
  });

  it("a seal of any text opens with its key and its use", async () => {
    for (const value of [{}, { a: 'é\u{1F600}\\"' }, { long: "x".repeat(100_000) }]) {
      const sealed = await seal(keys(ONE), "use", value);
      expect(await unseal(keys(ONE), "use", sealed)).toEqual({ value, keyId: "one" });
    }
  });

  it("a seal is created with the first key in a list and opens with any key in the list", async () => {
    const sealed = await seal(keys(ONE), "use", {});
    expect(await unseal(keys(`${TWO},\n${ONE}`), "use", sealed)).toEqual({
      value: {},
      keyId: "one",
    });
    const newer = await seal(keys(`${TWO}, ${ONE}`), "use", {});
    expect(await unseal(keys(TWO), "use", newer)).toEqual({ value: {}, keyId: "two" });
  });

  it("a seal cannot be opened for another use, with another key, or with a different key that has the same id", async () => {
    const sealed = await seal(keys(ONE), "use", {});
    expect(await unseal(keys(ONE), "Use", sealed)).toBeNull();
    expect(await unseal(keys(TWO), "use", sealed)).toBeNull();
    expect(await unseal(keys(`one:${btoa("c".repeat(32))}`), "use", sealed)).toBeNull();
  });

  it("a seal with any changed character does not open", async () => {
    const sealed = await seal(keys(ONE), "use", { secret: "x" });
    const last = new Set([sealed.length - 1]);
    for (const [index, dot] of Array.from(sealed).entries()) {
      // In base64url, the last character of each part has unused bits, so changing it may not
      // change the value.
      if (sealed[index + 1] === "." || dot === "." || last.has(index)) continue;
      const changed = sealed.slice(0, index) + (dot === "A" ? "B" : "A") + sealed.slice(index + 1);
      expect(await unseal(keys(ONE), "use", changed), `at ${index}`).toBeNull();
    }
  });

  it("a seal whose header is replaced by one of another use does not open", async () => {
    const [, ...rest] = (await seal(keys(ONE), "other", {})).split(".");
    const [header = ""] = (await seal(keys(ONE), "use", {})).split(".");
    expect(await unseal(keys(ONE), "use", [header, ...rest].join("."))).toBeNull();
  });

  it.each(["", ".", "....", "x", "a.b.c.d.e", "{}", "eyJhbGciOiJub25lIn0.e30."])(
    "the value %j is not opened, because it is not a seal",
    async (text) => {
      expect(await unseal(keys(ONE), "use", text)).toBeNull();
    },
  );
});
