import { describe, expect, inject, it } from "vitest";
import { IMPORT_BYTES_MAX } from "../../../../src/tools/limits.ts";
import { readOpenApi } from "../../../../src/tools/import/openapi/read-openapi.ts";

const DOCUMENTS = inject("outside").documents ?? "";

async function read(path: string, names: string[]) {
  const sourceUrl = `${DOCUMENTS}${path}`;
  const text = await (await fetch(sourceUrl)).text();
  const progress: number[] = [];
  const draft = await readOpenApi(text, {
    selection: { names },
    baseUrl: null,
    sourceUrl,
    onProgress: (done) => {
      progress.push(done);
      return Promise.resolve();
    },
  });
  if (!draft.ok) throw new Error(JSON.stringify(draft.failure));
  return { text, progress, draft: draft.value };
}

describe("OpenAPI documents in the Workers runtime", () => {
  it("GitHub's 13 MB document can be read completely in the Workers runtime", async () => {
    const { text, progress, draft } = await read("/github.json", []);
    expect(text.length).toBeGreaterThan(12_000_000);
    expect(text.length).toBeLessThan(IMPORT_BYTES_MAX);
    expect(draft.capabilities.length).toBeGreaterThan(1_000);
    expect(progress.at(-1)).toBe(draft.capabilities.length);
    expect(JSON.stringify(draft).length).toBeLessThan(4_000_000);
    expect(draft.capabilities.find(({ id }) => id === "issues-list-for-repo")).toMatchObject({
      operation: { type: "http", request: { path: "/repos/{owner}/{repo}/issues" } },
    });
  });

  it("part of a YAML document can be read in the Workers runtime", async () => {
    const { draft } = await read("/galaxy.yaml", ["createPlanet"]);
    expect(draft).toMatchObject({ name: "Scalar Galaxy", capabilities: [{ id: "createPlanet" }] });
  });
});
