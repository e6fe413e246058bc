import { errorOf, received } from "../api/client.ts";

/** A report as a file. */
export interface CsvFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads all pages of a report as one CSV file. `address` is the path of the first page; the `Link` header of a page has
 * the URL of the next one. Throws an ApiError if a page cannot be read.
 */
export async function readCsv(
  address: string,
  get: (path: string) => Promise<Response> = (path) => fetch(path),
): Promise<CsvFile> {
  let name = "usage.csv";
  const texts: string[] = [];
  for (let path: string | null = address; path !== null;) {
    const response = await received(get(path));
    if (!response.ok) throw errorOf(response, await response.json().catch(() => null));
    const text = await response.text();
    if (texts.length === 0) name = nameOf(response) ?? name;
    texts.push(texts.length === 0 ? text : withoutHeader(text));
    path = nextPathOf(response);
  }
  return { name, text: texts.join("") };
}

function nameOf({ headers }: Response): string | undefined {
  return /filename="([^"]+)"/.exec(headers.get("Content-Disposition") ?? "")?.[1];
}

/** Removes the first line. Column names contain no line breaks. */
function withoutHeader(text: string): string {
  return text.slice(text.indexOf("\r\n") + 2);
}

/** Returns only the path of the URL, because behind a proxy its origin can differ from that of the page. */
function nextPathOf({ headers }: Response): string | null {
  const url = /<([^>]+)>; rel="next"/.exec(headers.get("Link") ?? "")?.[1];
  if (url === undefined) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Saves a file as a download. */
export function saveFile({ name, text }: CsvFile): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
