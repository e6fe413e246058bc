const JSON_RANGES: ReadonlySet<string> = new Set(["*/*", "application/*", "application/json"]);

/** Whether an `Accept` header allows JSON, which every answer of the door is; without the header all is allowed. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null) return true;
  return accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return JSON_RANGES.has(type) && !parameters.some((one) => /^q\s*=\s*0(?:\.0*)?$/.test(one));
  });
}
