const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * The instant of an ISO 8601 date or date-time, in milliseconds since 1970, or null when it is not
 * one (2024-02-30). A date alone, and a time without a zone, are read as UTC.
 */
export function instantMs(text: string): number | null {
  const [, day, time = "00:00", zone = "Z"] = DATE.exec(text) ?? [];
  if (day === undefined) return null;
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  const isCalendarDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ?? false;
  return Number.isNaN(ms) || !isCalendarDay ? null : ms;
}

export function isIsoDate(text: string): boolean {
  return instantMs(text) !== null;
}
