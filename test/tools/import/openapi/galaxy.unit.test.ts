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

describe("a document in OpenAPI 3.1", () => {
  let galaxy: ToolDraft;

  beforeAll(async () => {
    galaxy = await draftOf(readPublished("@scalar/galaxy/dist/3.1.json"));
  });

  it("an OpenAPI document in YAML becomes the same tool as in JSON", async () => {
    expect(await draftOf(readPublished("@scalar/galaxy/dist/3.1.yaml"))).toEqual(galaxy);
  });

  it("a tool uses the first server and security scheme, and marks operations that need no credentials", () => {
    expect(connectorOf(galaxy)).toEqual({
      type: "http",
      baseUrl: "https://galaxy.scalar.com",
      headers: {},
      timeoutMs: 10_000,
      credential: { in: "header", name: "Authorization", prefix: "Bearer " },
    });
    expect(galaxy.authentication).toEqual({ type: "api-key", scopes: [] });
    const anonymous = galaxy.capabilities.filter((one) => requestOf(one).anonymous === true);
    expect(anonymous.map(({ id }) => id)).toEqual([
      "getAllData",
      "getPlanet",
      "createUser",
      "getToken",
    ]);
  });

  it("read-only fields are omitted from a body", () => {
    const create = capability(galaxy, "createPlanet");
    expect(create.name).toBe("Create a planet");
    const names = create.parameters.map(({ name }) => name);
    expect(names).toContain("name");
    expect(names).not.toContain("id");
    expect(names).not.toContain("lastUpdated");
    expect(requestOf(create)).toMatchObject({
      method: "POST",
      path: "/planets",
      body: { as: "json" },
    });
  });

  it("a nullable parameter has the type that is not null, and accepts null", () => {
    const description = parameter(capability(galaxy, "createPlanet"), "description");
    expect(description).toMatchObject({ type: "string", schema: { type: ["string", "null"] } });
    expect([matchesSchema(description, null), matchesSchema(description, 5)]).toEqual([
      true,
      false,
    ]);
  });

  it("the description names the required fields of an optional body", () => {
    const create = capability(galaxy, "createPlanet");
    expect(create.description).toMatch(
      /The body is optional\. If you send one, it must contain name\.$/,
    );
    expect(parameter(create, "name").required).toBe(false);
  });

  it("references to parameters are followed", () => {
    expect(capability(galaxy, "getPlanet").parameters).toEqual([
      expect.objectContaining({ name: "planetId", type: "number", required: true }),
    ]);
    expect(requestOf(capability(galaxy, "getAllData")).query).toEqual({
      limit: { parameter: "limit" },
      offset: { parameter: "offset" },
    });
  });
});
