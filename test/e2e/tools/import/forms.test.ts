import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { post } from "../../../support/client.ts";
import { invoke, originOf } from "../../../support/server-tools.ts";
import { put } from "../credentials/fixtures.ts";

/**
 * Builds an OpenAPI 3.1 document with one operation, which sends a form to the server's echo path.
 */
function posting(mediaType: string, properties: JsonObject, encoding: JsonObject | null = null) {
  const media = { schema: { type: "object", properties }, ...(encoding && { encoding }) };
  return {
    openapi: "3.1.0",
    info: { title: "Berths", version: "1" },
    servers: [{ url: originOf("hostile") }],
    paths: {
      "/echo": {
        post: {
          operationId: "book",
          requestBody: { required: true, content: { [mediaType]: media } },
        },
      },
    },
  };
}

/** Imports the document, calls its operation, and returns the request that the server received. */
async function sent(id: string, document: JsonObject, parameters: JsonObject): Promise<JsonObject> {
  const imported = await post("/agents/tools/import", { id, openapi: { document } });
  expect(imported.status, imported.text).toBe(201);
  const called = await invoke(id, "book", parameters);
  expect(called.status, called.text).toBe(200);
  return called.body.data.result.body;
}

const FORM = "application/x-www-form-urlencoded";
const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };

describe("a form described by a document", () => {
  it("a form from Stripe's document is sent with brackets for lists and objects", async () => {
    const key = crypto.randomUUID();
    const openapi = {
      url: `${originOf("documents")}/stripe.json`,
      baseUrl: originOf("hostile"),
    };
    const only = { names: ["PostRefunds"] };
    const imported = await post("/agents/tools/import", { id: "refunds", openapi, only });
    expect(imported.status, imported.text).toBe(201);
    const parameters = {
      charge: "ch_1",
      expand: ["charge", "payment_intent"],
      metadata: { order: "6735" },
    };
    // The server tells requests apart by this parameter.
    await put("refunds", { type: "api-key", in: "query", name: "key", value: key });
    await invoke("refunds", "PostRefunds", parameters);
    const seen = await fetch(`${originOf("hostile")}/seen?key=${key}`);
    const { last } = await seen.json<{ last: { path: string; body: string } }>();
    expect(last.path).toBe(`/v1/refunds?key=${key}`);
    expect(decodeURIComponent(last.body)).toBe(
      "charge=ch_1&expand[0]=charge&expand[1]=payment_intent&metadata[order]=6735",
    );
  });

  it("a form without an encoding is sent with lists that repeat their field", async () => {
    const document = posting(FORM, { tags: TEXTS, note: TEXT });
    const seen = await sent("plain-form", document, { tags: ["a", "b c"], note: "1+1" });
    expect(seen).toMatchObject({
      body: "tags=a&tags=b+c&note=1%2B1",
      headers: { "content-type": FORM },
    });
  });

  it("a form is sent in the styles given by its encoding, including JSON in a field", async () => {
    const properties = { tags: TEXTS, sizes: TEXTS, meta: { type: "object" } };
    const document = posting(FORM, properties, {
      tags: { explode: false },
      sizes: { style: "pipeDelimited" },
      meta: { contentType: "application/json" },
    });
    const parameters = { tags: ["a", "b"], sizes: ["1", "2"], meta: { a: [1] } };
    const { body } = await sent("styled-form", document, parameters);
    expect(body).toBe(`tags=a,b&sizes=1%7C2&meta=${encodeURIComponent('{"a":[1]}')}`);
  });

  it("a multipart form is sent in parts, with files and their media types", async () => {
    const properties = {
      title: TEXT,
      chart: { type: "string", contentEncoding: "base64", contentMediaType: "image/png" },
      log: { type: "string", format: "binary" },
      meta: { type: "object" },
    };
    const parameters = { title: "Tide", chart: btoa("ahoy"), log: "wind å", meta: { pages: 3 } };
    const seen = await sent("parts", posting("multipart/form-data", properties), parameters);
    const headers = { "Content-Type": String(Object(seen["headers"])["content-type"]) };
    const form = await new Response(String(seen["body"]), { headers }).formData();
    expect(form.get("title")).toBe("Tide");
    const parts = ["chart", "log", "meta"].map(async (name) => {
      const part = form.get(name);
      return part instanceof File ? [part.name, part.type, await part.text()] : part;
    });
    expect(await Promise.all(parts)).toEqual([
      ["chart", "image/png", "ahoy"],
      ["log", "application/octet-stream", "wind å"],
      [expect.any(String), "application/json", '{"pages":3}'],
    ]);
  });
});
