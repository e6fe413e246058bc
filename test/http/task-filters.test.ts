import { beforeAll, describe, expect, it } from "vitest";
import { registerTeam } from "../support/catalogue.ts";
import { get } from "../support/client.ts";
import { expectProblems } from "../support/expect-errors.ts";
import { create, stopClock } from "../support/tasks.ts";

const DATE_RULE =
  "must be a date such as 2030-01-31 or a date-time with a time zone, such as 2030-01-31T12:00:00Z";

async function list(query: string) {
  return get(`/agents/tasks?${query}`);
}

describe("startDate and endDate", () => {
  beforeAll(async () => {
    stopClock();
    await create();
  });

  it.each(["startDate", "endDate"])("%s accepts dates and date-times with a zone", async (name) => {
    for (const value of ["2024-02-29", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00.5%2B05:30"]) {
      expect((await list(`${name}=${value}`)).status, value).toBe(200);
    }
  });

  it.each(["startDate", "endDate"])("%s rejects values of any other form", async (name) => {
    for (const value of [
      "2025-02-29",
      "2025-1-1",
      "01.02.2025",
      "2025-01-01T00:00:00",
      "2025-01-01T00:00:00+05:30",
      "yesterday",
      "1735689600000",
    ]) {
      const got = value.replace("+", " ");
      expectProblems(await list(`${name}=${value}`), { [name]: `${DATE_RULE}, got "${got}"` });
    }
  });

  it("a startDate after endDate is rejected with both values", async () => {
    expectProblems(await list("startDate=2025-06-02&endDate=2025-06-01T23:59:59.998Z"), {
      startDate:
        "must not be after endDate, got 2025-06-02T00:00:00.000Z and 2025-06-01T23:59:59.998Z",
    });
    expectProblems(await list("startDate=2025-06-02&endDate=2025-06-01"), { startDate: /after/ });
  });

  it("startDate and endDate can be the same day or the same instant", async () => {
    expect((await list("startDate=2025-06-01&endDate=2025-06-01")).status).toBe(200);
    const instant = "2025-06-01T12:00:00Z";
    expect((await list(`startDate=${instant}&endDate=${instant}`)).status).toBe(200);
  });
});

describe("filters", () => {
  beforeAll(() => registerTeam("empty"));

  it.each([
    ["an unknown agent", "agentId=stranger"],
    ["an unknown team", "teamId=pirates"],
    ["a team without tasks", "teamId=empty"],
    ["an agent and a team that share no task", "agentId=researcher&teamId=studio"],
  ])("a list of tasks filtered by %s is an empty page", async (_, query) => {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      tasks: [],
      total: 0,
      totalExact: true,
      limit: 50,
      offset: 0,
      nextCursor: null,
    });
  });

  it("a list of tools filtered by an unknown agent is an empty page", async () => {
    const { status, body } = await get("/agents/tools?agentId=stranger");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ tools: [], total: 0 });
  });
});
