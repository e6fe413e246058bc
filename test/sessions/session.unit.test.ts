import { describe, expect, it } from "vitest";
import { cookieNameOf, formatCookie, readCookie } from "../../src/sessions/model/cookie.ts";
import { findCrossSiteProblem } from "../../src/sessions/model/same-origin.ts";
import { sessionEndOf, shouldRecordSession } from "../../src/sessions/model/session.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/kernel/units.ts";

const SECRET = "A".repeat(43);
const HTTPS = "https://bosun.test";
const ORIGINS = [
  HTTPS,
  "http://localhost",
  "http://localhost:8787",
  "http://localhost:878",
  "http://127.0.0.1:8788",
] as const;

describe("the end of a session", () => {
  it("a session ends 12 hours after its last request, but at most seven days after sign-in", () => {
    for (let hours = 0; hours <= 200; hours += 1) {
      const lastSeenAt = hours * HOUR_MS;
      const end = sessionEndOf({ createdAt: 0, lastSeenAt });
      expect(end).toBe(Math.min(lastSeenAt + 12 * HOUR_MS, 7 * DAY_MS));
    }
  });

  it("a request is recorded at most once in ten minutes, and not if the clock was set back", () => {
    const at = 1_000 * DAY_MS;
    for (let minutes = -60; minutes <= 60; minutes += 1) {
      const isRecorded = shouldRecordSession({ lastSeenAt: at }, at + minutes * MINUTE_MS);
      expect(isRecorded).toBe(minutes >= 10);
    }
  });
});

describe("the session cookie", () => {
  it.each(ORIGINS)("the cookie of %s is read by this service, but not by another one", (origin) => {
    const header = formatCookie(origin, SECRET, 60).split(";")[0];
    expect(readCookie(header, origin)).toBe(SECRET);
    expect(readCookie(`a=1; ${header}; b=2`, origin)).toBe(SECRET);
    for (const other of ORIGINS.filter((one) => one !== origin))
      expect(readCookie(header, other)).toBeNull();
  });

  it("the cookie is hidden from scripts, is not sent across sites, and requires https where possible", () => {
    expect(formatCookie(HTTPS, SECRET, 60)).toBe(
      `__Host-bosun=${SECRET}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`,
    );
    expect(formatCookie("http://localhost", SECRET, 60)).toBe(
      `bosun=${SECRET}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`,
    );
    expect(formatCookie("http://localhost:8787", SECRET, 60)).toBe(
      `bosun-8787=${SECRET}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`,
    );
  });

  it.each([
    ["no header", undefined],
    ["an empty value", `${cookieNameOf(HTTPS)}=`],
    ["a short value", `${cookieNameOf(HTTPS)}=abc`],
    ["a value with other characters", `${cookieNameOf(HTTPS)}=${"!".repeat(43)}`],
    [
      "two cookies of the same name",
      `${cookieNameOf(HTTPS)}=${SECRET}; ${cookieNameOf(HTTPS)}=${SECRET}`,
    ],
    ["a cookie whose name only ends like it", `x${cookieNameOf(HTTPS)}=${SECRET}`],
  ])("%s contains no session", (_, header) => {
    expect(readCookie(header, HTTPS)).toBeNull();
  });
});

describe("requests that a session cookie may authorise", () => {
  const CONSOLE = {
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/json",
    "X-Bosun-Console": "1",
  };
  const problem = (method: string, headers: Record<string, string>) =>
    findCrossSiteProblem({ method, origin: "https://bosun.test", header: (name) => headers[name] });

  it("requests of the console are accepted", () => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
      expect(problem(method, CONSOLE)).toBeNull();
    expect(
      problem("POST", { ...CONSOLE, "Content-Type": "application/json; charset=utf-8" }),
    ).toBeNull();
  });

  it.each(["cross-site", "same-site", "none", "", "SAME-ORIGIN"])(
    "Sec-Fetch-Site: %j is rejected even if Origin is right",
    (site) => {
      const headers = { ...CONSOLE, "Sec-Fetch-Site": site, Origin: "https://bosun.test" };
      expect(problem("GET", headers)).toMatch(/page of this origin/);
      expect(problem("POST", headers)).toMatch(/page of this origin/);
    },
  );

  it.each([
    ["https://bosun.test", true],
    ["https://bosun.test:8443", false],
    ["http://bosun.test", false],
    ["https://evil.test", false],
    ["null", false],
    [undefined, false],
  ])("without Sec-Fetch-Site, Origin %s decides", (origin, isAccepted) => {
    const { "Sec-Fetch-Site": _, ...rest } = CONSOLE;
    const headers = origin === undefined ? rest : { ...rest, Origin: origin };
    expect(problem("POST", headers) === null).toBe(isAccepted);
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])(
    "%s needs both JSON and the console's header",
    (method) => {
      expect(problem(method, { ...CONSOLE, "X-Bosun-Console": "" })).toMatch(/lacks the header/);
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
        "",
      ])
        expect(problem(method, { ...CONSOLE, "Content-Type": type })).toMatch(/Content-Type/);
    },
  );
});
