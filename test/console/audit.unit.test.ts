import { describe, expect, it } from "vitest";
import {
  ACTIONS,
  exportAddress,
  labelOf,
  readAuditSearch,
  SUBJECT_TYPES,
} from "../../console/src/audit/search.ts";
import { AUDIT_ACTIONS, AUDIT_SUBJECT_TYPES } from "../../src/governance/model/audit-entry.ts";

describe("the view of the audit log", () => {
  it("the filters offer all actions and subject types of the service", () => {
    expect(ACTIONS).toEqual(AUDIT_ACTIONS);
    expect(SUBJECT_TYPES).toEqual(AUDIT_SUBJECT_TYPES);
  });

  it("each action has a label, and an unknown one is shown as it is", () => {
    expect(new Set(ACTIONS.map(labelOf)).size).toBe(ACTIONS.length);
    expect(labelOf("schedule.changed")).toBe("schedule.changed");
    expect(labelOf("constructor")).toBe("constructor");
  });

  it("unknown and invalid parameters of the URL are ignored", () => {
    const valid = { action: "agent.changed", subjectType: "agent", subjectId: "5", keyId: "root" };
    const days = { from: "2026-11-01", to: "2026-11-30" };
    expect(readAuditSearch({ ...valid, ...days, subjectId: 5, page: 2 })).toEqual({
      ...valid,
      ...days,
    });
    const invalid = { action: "agent.flown", subjectType: "ship", subjectId: " ", from: "2026-11" };
    expect(readAuditSearch({ ...invalid, to: "2026-13-01" })).toEqual({});
  });

  it("the address of an export contains the filters", () => {
    expect(exportAddress({})).toBe("/agents/audit?format=ndjson");
    expect(exportAddress({ subjectId: "a/b&c", from: "2026-11-01" })).toBe(
      "/agents/audit?format=ndjson&subjectId=a%2Fb%26c&from=2026-11-01",
    );
  });
});
