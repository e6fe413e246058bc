import { describe, expect, it } from "vitest";
import { parsePathTemplate } from "../../../src/tools/connectors/http/uri-template.ts";

describe("a path template", () => {
  it.each<[string, string[]]>([
    ["/", []],
    ["/pets", []],
    ["/pets/{id}", ["id"]],
    ["/{a,b}/x{;c}{?d,e*}{&f:3}", ["a", "b", "c", "d", "e", "f"]],
    ["/x{.format}{/rest*}", ["format", "rest"]],
    ["/{my%2Dteam}", ["my-team"]],
    ["/{a.b}/{_c}", ["a.b", "_c"]],
  ])("the parameters of the path template %s are parsed", (template, names) => {
    expect(parsePathTemplate(template)).toEqual({ ok: true, value: names });
  });

  it.each([
    ["pets", "begin with"],
    ["", "begin with"],
    ["/{", "brace"],
    ["/}", "brace"],
    ["/{a}}", "brace"],
    ["/{{a}}", "brace"],
    ["/{}", "RFC 6570"],
    ["/{a,}", "RFC 6570"],
    ["/{+a}", "RFC 6570"],
    ["/{#a}", "RFC 6570"],
    ["/{a b}", "RFC 6570"],
    ["/{a:0}", "RFC 6570"],
    ["/{%FF}", "RFC 6570"],
    ["/{%}", "RFC 6570"],
    ["/a b", "must not contain spaces"],
    ["/a#b", "must not contain spaces"],
    ["/a\\b", "must not contain spaces"],
  ])("the path template %s is rejected", (template, reason) => {
    const refused = parsePathTemplate(template);
    expect(refused).toMatchObject({ ok: false, failure: expect.stringContaining(reason) });
  });
});
