const STEM_CHARACTERS_MAX = 60;
const FALLBACK = "document";
const NOT_ALLOWED = /[^a-z0-9]+/g;
const MARKS = /\p{M}/gu;

/** A word as the first part of a file's name: a to z, digits and hyphens only. */
export function stemOf(word: string): string {
  const stem = word
    .slice(0, 10 * STEM_CHARACTERS_MAX)
    .normalize("NFKD")
    .replace(MARKS, "")
    .toLowerCase()
    .replace(NOT_ALLOWED, "-")
    .slice(0, STEM_CHARACTERS_MAX)
    .replace(/^-|-$/g, "");
  return stem === "" ? FALLBACK : stem;
}

/** Gives every file a name of its own: a second report.md becomes report-2.md. */
export function nameGiver(): (stem: string, extension: string) => string {
  const used = new Set<string>();
  return (stem, extension) => {
    let name = `${stem}.${extension}`;
    for (let place = 2; used.has(name); place += 1) name = `${stem}-${place}.${extension}`;
    used.add(name);
    return name;
  };
}
