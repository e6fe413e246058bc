/** What a text of each format of JSON Schema is, by the format's name. */
const FORMATS = new Map([
  ["date", "a date such as 2026-01-31"],
  ["date-time", "a date and time such as 2026-01-31T12:00:00Z"],
  ["duration", "a duration such as PT1H30M"],
  ["email", "an e-mail address"],
  ["hostname", "a host name"],
  ["ipv4", "an IPv4 address"],
  ["ipv6", "an IPv6 address"],
  ["json-pointer", "a JSON Pointer such as /a/0"],
  ["regex", "a regular expression"],
  ["relative-json-pointer", "a relative JSON Pointer such as 1/a"],
  ["time", "a time such as 12:00:00Z"],
  ["uri", "a URI such as https://example.com/"],
  ["uri-reference", "a URI or a reference such as /a?b=c"],
  ["uri-template", "a URI template such as /a/{b}"],
  ["uuid", "a UUID"],
]);

/** Whether JSON Schema defines the format. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(format);
}

export function formatText(format: string): string {
  return FORMATS.get(format) ?? `of the format ${format}`;
}
