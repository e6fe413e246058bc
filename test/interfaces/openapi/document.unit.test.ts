import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import { buildApiDocument } from "../../../src/interfaces/openapi/document.ts";
import { listEndpoints, RECORDED_EXAMPLES } from "../../../src/interfaces/openapi/api-route.ts";
import { PROTOCOL_ROUTES } from "../../../src/interfaces/openapi/protocol-routes.ts";
import { ERROR_SAMPLES } from "../../../src/interfaces/openapi/error-samples.ts";
import { ROUTES } from "../../support/routes.ts";
import { listUndescribed, routeKeyOf } from "./undescribed.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const document = buildApiDocument(app.routes, version);

interface Described {
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
  readonly operation: any;
}

/** The operations in the document, named like routes: GET /agents/tasks/:id. */
const DESCRIBED: Described[] = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    operation,
  })),
);
const NAMES = DESCRIBED.map(({ name }) => name);
const ALL_ROUTES = [...listEndpoints(app.routes), ...PROTOCOL_ROUTES];
const PROTOCOL_ROUTE_NAMES = PROTOCOL_ROUTES.map(routeKeyOf);

/** The app's routes, except OPTIONS and the handlers for unsupported methods. */
const routes = app.routes.filter(({ path }) => path !== "/*" && path !== "*");
const own = listEndpoints(app.routes);

describe("the document and the routes", () => {
  it("the document has exactly the routes in the app and in the tests' table", () => {
    const expected = [
      ...own.map(({ method, path }) => `${method} ${path}`),
      ...PROTOCOL_ROUTE_NAMES,
    ];
    expect(NAMES.toSorted()).toEqual(expected.toSorted());
    const walked = [
      ...ROUTES.map(({ method, path }) => `${method} ${path}`),
      ...PROTOCOL_ROUTE_NAMES,
    ];
    expect(NAMES.toSorted()).toEqual(walked.toSorted());
  });

  it("the document has the app's routes for other protocols, except the REST binding of A2A", () => {
    const paths = new Set(own.map(({ path }) => path));
    const otherProtocols = routes.filter(
      ({ method, path }) => method === "ALL" && !paths.has(path),
    );
    // The A2A specification describes the paths of the REST binding.
    const others = otherProtocols.map(({ path }) => path).filter((path) => path !== "/a2a/v1/*");
    // Endpoints with two addresses appear once in the document, which names the other address as an
    // alias.
    const same = ["/mcp/", "/a2a/"];
    expect(others.toSorted()).toEqual(
      [...PROTOCOL_ROUTES.map(({ path }) => path), ...same].toSorted(),
    );
  });

  it("the document describes every parameter and field, and none that does not exist", () => {
    expect(listUndescribed(document, ALL_ROUTES)).toEqual([]);
  });

  it("the document has the same scopes as the routes", () => {
    const scopes = DESCRIBED.filter(({ name }) => !PROTOCOL_ROUTE_NAMES.includes(name)).map(
      ({ name, operation }) => [name, operation["x-required-scope"] ?? null],
    );
    expect(Object.fromEntries(scopes)).toEqual(
      Object.fromEntries(ROUTES.map(({ method, path, scope }) => [`${method} ${path}`, scope])),
    );
  });

  it.each(DESCRIBED)("$name has an id, a summary, a description and responses", ({ operation }) => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(operation.summary).toMatch(/^[A-Z].{3,58}[^.]$/);
    expect(operation.description.length).toBeGreaterThan(20);
    const statuses = Object.keys(operation.responses);
    expect(statuses.some((status) => /^[23]/.test(status))).toBe(true);
    expect(statuses.some((status) => status.startsWith("4"))).toBe(true);
    for (const status of statuses) {
      const { $ref, headers } = operation.responses[status];
      expect($ref ?? headers["X-Request-Id"], status).toBeTruthy();
    }
  });
});

describe("idempotent requests and conditional changes", () => {
  // A sign-in and a decision with a link need no key, so they have no keys to repeat.
  const keyless = new Set(["POST /agents/sessions", "POST /agents/approvals/:id/decision"]);
  const repeatable = DESCRIBED.filter(
    ({ name }) => name.startsWith("POST /agents") && !keyless.has(name),
  );
  it.each(repeatable)("$name accepts an Idempotency-Key and marks its replays", ({ operation }) => {
    expect(headersAsked(operation)).toContain("Idempotency-Key");
    expect(operation.responses["422"].$ref).toBe("#/components/responses/IdempotencyKeyReused");
    const good = Object.keys(operation.responses).find((status) => status.startsWith("2"));
    expect(operation.responses[good ?? ""].headers).toHaveProperty("Idempotency-Replayed");
  });

  it.each(["PATCH /agents/tasks/:id", "PATCH /agents/tools/:id"])(
    "%s accepts If-Match and returns an ETag",
    (name) => {
      const operation = DESCRIBED.find((one) => one.name === name)?.operation;
      expect(headersAsked(operation)).toContain("If-Match");
      expect(operation.responses["200"].headers.ETag.required).toBe(true);
      expect(operation.responses["412"].$ref).toBe("#/components/responses/PreconditionFailed");
    },
  );

  // oxlint-disable-next-line typescript/no-explicit-any -- likewise
  function headersAsked(operation: any): string[] {
    return operation.parameters.flatMap((one: { in: string; name: string }) =>
      one.in === "header" ? [one.name] : [],
    );
  }
});

describe("every recorded example", () => {
  const byId = new Map(DESCRIBED.map(({ operation }) => [operation.operationId, operation]));

  it.each(Object.entries(RECORDED_EXAMPLES))(
    "the recorded example of %s is in the document",
    (id, recorded) => {
      const { requestBody, parameters = [], responses } = byId.get(id);
      expect(requestBody?.content["application/json"]?.example).toEqual(recorded.body);
      const parameterExamples = parameters.map(
        // oxlint-disable-next-line typescript/no-explicit-any -- likewise
        ({ name, example, schema }: any) => {
          const shown = example ?? schema.examples?.[0];
          return [name, schema.type === "array" ? shown?.[0] : shown];
        },
      );
      expect(Object.fromEntries(parameterExamples)).toMatchObject(recorded.parameters ?? {});
      for (const [status, example] of Object.entries(recorded.responses ?? {})) {
        expect(responses[status].content["application/json"].example.data, status).toEqual(example);
      }
      // oxlint-disable-next-line typescript/no-explicit-any -- likewise
      const streamed = Object.values(responses).flatMap(({ content }: any) => {
        return content?.["text/event-stream"]?.example ?? [];
      });
      expect(streamed[0]).toEqual(recorded.stream?.join("\n"));
    },
  );
});

describe("error codes", () => {
  it("every error code that an operation names is one of the service's", () => {
    const named = ALL_ROUTES.flatMap(({ operation }) => operation.errorCodes ?? []);
    expect(named.filter((code) => !ERROR_SAMPLES.has(code))).toEqual([]);
  });

  it("every error code has an example in the document", () => {
    const described = new Set(Object.keys(document.components?.examples ?? {}));
    expect([...ERROR_SAMPLES.keys()].filter((code) => !described.has(code))).toEqual([]);
  });

  it("every error code has one status", () => {
    const several = [...ERROR_SAMPLES].filter(
      ([, all]) => new Set(all.map(({ status }) => status)).size > 1,
    );
    expect(several).toEqual([]);
  });
});

describe("the served file", () => {
  it("the served file is the generated document", () => {
    const file: unknown = JSON.parse(readFileSync("dist/assets/openapi.json", "utf8"));
    expect(file).toEqual(JSON.parse(JSON.stringify(document)));
  });
});
