import { Validator } from "@cfworker/json-schema";
import { parseTemplate } from "url-template";
import { beforeAll, describe, expect, it } from "vitest";
import { IDENTIFIER_PATTERN } from "../../../../src/kernel/identifier.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../../../src/tools/limits.ts";
import type { ToolDraft } from "../../../../src/tools/import/tool-draft.ts";
import {
  capability,
  draftOf,
  matchesSchema,
  parameter,
  problemsOf,
  readPublished,
  requestOf,
} from "./fixtures.ts";

const GITHUB = readPublished("@octokit/openapi/generated/api.github.com.json");

describe("GitHub's OpenAPI document", () => {
  let github: ToolDraft;
  const progress: [number, number][] = [];

  beforeAll(async () => {
    github = await draftOf(GITHUB, {
      sourceUrl: "https://example.com/github.json",
      onProgress: (done, total) => {
        progress.push([done, total]);
        return Promise.resolve();
      },
    });
  });

  it("GitHub's document becomes a tool with one capability for each operation", () => {
    const operations = Object.values<object>(JSON.parse(GITHUB).paths).flatMap((item) =>
      Object.keys(item).filter((key) => /^(?:get|put|post|patch|delete)$/.test(key)),
    );
    expect(operations.length).toBeGreaterThan(1_000);
    expect(github.capabilities).toHaveLength(operations.length);
    expect(github).toMatchObject({
      name: "GitHub's official OpenAPI spec + Octokit extension",
      documentation: "https://docs.github.com/rest/",
      authentication: { type: "none", scopes: [] },
      connector: { type: "http", baseUrl: "https://api.github.com", headers: {}, credential: null },
    });
    expect(github.description).toContain("OpenAPI specs from");
  });

  it("an import reports its progress after every 50 operations and at the end", () => {
    const total = github.capabilities.length;
    expect(progress).toHaveLength(Math.floor(total / 50) + 1);
    expect(progress[0]).toEqual([50, total]);
    expect(progress.at(-1)).toEqual([total, total]);
  });

  it("every capability has a unique and valid id", () => {
    const ids = github.capabilities.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !IDENTIFIER_PATTERN.test(id))).toEqual([]);
    expect(ids).toContain("repos-get");
  });

  it("every capability stays below a tenth of the size limit and within the parameter limit", () => {
    const sizes = github.capabilities.map(({ parameters }) => JSON.stringify(parameters).length);
    expect(Math.max(...sizes)).toBeLessThan(PARAMETERS_BYTES_MAX / 10);
    expect(JSON.stringify(github).length).toBeLessThan(4_000_000);
    const counts = github.capabilities.map(({ parameters }) => parameters.length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(PARAMETERS_MAX);
  });

  it("every path variable is a required parameter", () => {
    let variables = 0;
    for (const one of github.capabilities) {
      for (const [, name = ""] of requestOf(one).path.matchAll(/\{([^{}]*)\}/g)) {
        variables += 1;
        expect(parameter(one, decodeURIComponent(name)).required).toBe(true);
      }
    }
    expect(variables).toBeGreaterThan(2_000);
  });

  it("requests use each parameter exactly once and name no other parameters", () => {
    for (const one of github.capabilities) {
      const { path, query = {}, headers = {}, body } = requestOf(one);
      const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) =>
        decodeURIComponent(name),
      );
      const mapped = [...Object.values(query), ...Object.values(headers)].flatMap((mapping) =>
        "parameter" in mapping ? [mapping.parameter] : [],
      );
      const ofBody =
        body === undefined ? [] : "fields" in body ? Object.values(body.fields) : [body.parameter];
      const used = [...inPath, ...mapped, ...ofBody].toSorted();
      expect(used).toEqual(one.parameters.map(({ name }) => name).toSorted());
    }
  });

  it("every parameter has a self-contained schema that compiles", () => {
    const parameters = github.capabilities.flatMap((one) => one.parameters);
    expect(parameters.length).toBeGreaterThan(4_000);
    for (const { schema, type } of parameters) {
      expect(schema).toBeDefined();
      if (schema === undefined) continue;
      const validator = new Validator(schema, "2020-12");
      // This resolves every reference, and throws if one is unknown.
      validator.validate(type === "array" ? [{}] : type === "object" ? { a: {} } : "a");
      for (const [, reference] of JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)) {
        expect(reference).toMatch(/^#\/\$defs\/[^/]+$/);
        const name = reference?.slice("#/$defs/".length) ?? "";
        expect(Object.keys(schema["$defs"] ?? {})).toContain(name);
      }
    }
  });

  it("schemas contain no keywords that exist only in OpenAPI", () => {
    const schemas = JSON.stringify(
      github.capabilities.flatMap((one) => one.parameters.map(({ schema }) => schema)),
    );
    expect(schemas).not.toMatch(/"(?:nullable|discriminator|xml|externalDocs|x-[a-z-]+)":/);
  });

  it("issues/list-for-repo is imported as GitHub documents it", () => {
    const list = capability(github, "issues-list-for-repo");
    expect(list.name).toBe("List repository issues");
    expect(list.description).toMatch(/^List issues in a repository\./);
    expect(parameter(list, "owner")).toEqual({
      name: "owner",
      type: "string",
      required: true,
      description: "The account owner of the repository. The name is not case sensitive.",
      schema: { type: "string" },
    });
    expect(parameter(list, "repo")).toMatchObject({ type: "string", required: true });
    expect(parameter(list, "state")).toEqual({
      name: "state",
      type: "string",
      required: false,
      description: "Indicates the state of the issues to return.",
      schema: { type: "string", enum: ["open", "closed", "all"], default: "open" },
    });
    expect(parameter(list, "since").schema).toEqual({ type: "string", format: "date-time" });
    expect(parameter(list, "per_page")).toMatchObject({
      type: "number",
      schema: { type: "integer", default: 30 },
    });
    const request = requestOf(list);
    expect(request).toMatchObject({ method: "GET", path: "/repos/{owner}/{repo}/issues" });
    expect(request.query?.["state"]).toEqual({ parameter: "state" });
    expect(request).not.toHaveProperty("body");
    expect(request).not.toHaveProperty("anonymous");
  });

  it("the fields of a body become parameters, and the description states their joint requirements", () => {
    const create = capability(github, "issues-create");
    expect(requestOf(create)).toEqual({
      method: "POST",
      path: "/repos/{owner}/{repo}/issues",
      body: {
        as: "json",
        fields: expect.objectContaining({ title: "title", body: "body", labels: "labels" }),
      },
    });
    const title = parameter(create, "title");
    expect(title).toMatchObject({ required: true });
    expect([
      matchesSchema(title, "Leak"),
      matchesSchema(title, 5),
      matchesSchema(title, {}),
    ]).toEqual([true, true, false]);
    const labels = parameter(create, "labels");
    expect(labels).toMatchObject({ type: "array", required: false });
    expect([matchesSchema(labels, ["bug", { name: "bug" }]), matchesSchema(labels, [5])]).toEqual([
      true,
      false,
    ]);
    const sarif = capability(github, "secret-scanning-update-alert");
    expect(sarif.description).toContain("Requires at least one of: state, assignee, validity.");
  });

  it("a body with several shapes stays a single parameter", () => {
    const remove = capability(github, "orgs-delete-attestations-bulk");
    expect(requestOf(remove).body).toEqual({ as: "json", parameter: "body" });
    const body = parameter(remove, "body");
    expect(matchesSchema(body, { subject_digests: ["sha256:1"] })).toBe(true);
    expect(matchesSchema(body, { attestation_ids: [7] })).toBe(true);
    expect(matchesSchema(body, { attestation_ids: ["seven"] })).toBe(false);
  });

  it("a body stays a single parameter if a field has the name of a path parameter", () => {
    const update = capability(github, "actions-update-org-variable");
    expect(update.parameters.map(({ name }) => name)).toEqual(["org", "name", "body"]);
    expect(requestOf(update)).toMatchObject({
      path: "/orgs/{org}/actions/variables/{name}",
      body: { as: "json", parameter: "body" },
    });
    expect(matchesSchema(parameter(update, "body"), { name: "A", value: 5 })).toBe(false);
  });

  it("a body whose alternatives amount to one shape becomes parameters", () => {
    const contexts = capability(github, "repos-set-status-check-contexts");
    expect(requestOf(contexts).body).toEqual({ as: "json", fields: { contexts: "contexts" } });
  });

  it("a parameter keeps its name if a URI template must escape it", () => {
    const team = github.capabilities.find(({ parameters }) =>
      parameters.some(({ name }) => name === "enterprise-team"),
    );
    if (team === undefined) throw new Error("There is no enterprise-team");
    const { path } = requestOf(team);
    expect(path).toContain("{enterprise%2Dteam}");
    expect(parseTemplate(path).expand({ enterprise: "e", "enterprise%2Dteam": "a b" })).toContain(
      "/enterprises/e/teams/a%20b",
    );
  });

  it("an operation uses its own server, and a note says that its body cannot be sent", () => {
    const upload = capability(github, "repos-upload-release-asset");
    expect(requestOf(upload)).toMatchObject({ baseUrl: "https://uploads.github.com" });
    expect(requestOf(upload)).not.toHaveProperty("body");
    expect(github.notes).toEqual([
      "Imported without a body of type application/octet-stream: repos-upload-release-asset.",
    ]);
  });
});

describe("a part of GitHub's document", () => {
  it("operations are selected by tags and by names of either kind", async () => {
    const some = await draftOf(GITHUB, {
      selection: { tags: ["gitignore"], names: ["meta/get-zen", "repos-get"] },
    });
    expect(some.capabilities.map(({ id }) => id).toSorted()).toEqual([
      "gitignore-get-all-templates",
      "gitignore-get-template",
      "meta-get-zen",
      "repos-get",
    ]);
  });

  it("unknown tags and names are rejected, and the error lists some existing ones", async () => {
    const selection = { tags: ["harbours"], names: ["repos/got"] };
    const failure = await problemsOf(GITHUB, { selection });
    expect(failure.map(({ path }) => path)).toEqual(["tags", "names"]);
    expect(failure[0]?.message).toMatch(/^"harbours" is not in the document, which has "meta", /);
    expect(failure[1]?.message).toMatch(/and \d+ more$/);
  });
});
