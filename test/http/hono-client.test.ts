import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { hc } from "hono/client";
import { describe, expect, it } from "vitest";
import type { AppType } from "../../src/app.ts";
import worker from "../../src/index.ts";
import { ORIGIN, ROOT } from "../support/client.ts";
import { untilStatus } from "../support/tasks.ts";

const client = hc<AppType>(ORIGIN, {
  headers: { Authorization: `Bearer ${ROOT}` },
  fetch: async (input: RequestInfo | URL, init?: RequestInit) =>
    worker.fetch(new Request(input, init), env, createExecutionContext()),
});
const { tasks } = client.agents;

/** Returns the data of a response, or throws an error with the API's message. */
async function readData<Data>(
  response: Promise<{
    json(): Promise<
      | { readonly success: true; readonly data: Data }
      | { readonly success: false; readonly error: { readonly message: string } }
    >;
  }>,
): Promise<Data> {
  const body = await (await response).json();
  if (!body.success) throw new Error(body.error.message);
  return body.data;
}

describe("Hono's typed client", () => {
  it("the client runs a whole task: question, review, files and feedback", async () => {
    const created = await readData(
      tasks.$post({
        json: {
          task: "Summarise the sales",
          agentId: "data-analyst",
          deliverables: ["summary"],
          context: {
            csv: "month,sold\n2026-01,120\n2026-02,150",
            askFirst: "For whom?",
            requireReview: true,
          },
        },
      }),
    );
    const param = { id: created.taskId };
    await untilStatus(created.taskId, "blocked");
    const { blocked } = await readData(tasks[":id"].$get({ param, query: {} }));
    expect(blocked?.question).toBe("For whom?");

    await readData(tasks[":id"].respond.$post({ param, json: { response: "The crew." } }));
    await untilStatus(created.taskId, "review");
    const reviewed = await readData(
      tasks[":id"].review.$post({ param, json: { decision: "approve" } }),
    );
    expect(reviewed.status).toBe("completed");
    expect(reviewed.result?.summary).toMatch(/sold/);

    const files = await readData(tasks[":id"].deliverables.$get({ param }));
    expect(files.deliverables.map(({ type }) => type)).toEqual(["summary"]);
    const rated = await readData(tasks[":id"].feedback.$post({ param, json: { rating: 5 } }));
    expect(rated.rating).toBe(5);
    const list = await readData(tasks.$get({ query: { status: "completed", limit: "1" } }));
    expect(list.tasks[0]).toMatchObject({ taskId: created.taskId, rating: 5 });
  });

  it("the client receives an error with all problems", async () => {
    const response = await tasks.$post({ json: { task: "", deadline: "soon" } });
    const body = await response.json();
    expect(response.status).toBe(400);
    expect(!body.success && body.error.details?.map(({ path }) => path)).toEqual([
      "task",
      "deadline",
    ]);
  });

  it("the compiler rejects an unknown field, an unknown filter and an unknown route", async () => {
    // @ts-expect-error -- the body has no field `topic`
    const unknownField = await tasks.$post({ json: { task: "Summarise", topic: "Sales" } });
    expect(unknownField.status).toBe(400);
    // @ts-expect-error -- `done` is not a status
    const unknownFilter = await tasks.$get({ query: { status: "done" } });
    expect(unknownFilter.status).toBe(400);
    // @ts-expect-error -- tasks have no route `archive`
    const unknownRoute = await tasks[":id"].archive.$post({ param: { id: "0" } });
    expect(unknownRoute.status).toBe(404);
  });
});
