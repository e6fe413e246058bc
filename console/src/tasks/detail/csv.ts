export interface CsvPreview {
  readonly rows: readonly (readonly string[])[];
  /** Whether the file has more rows than the preview. */
  readonly isCut: boolean;
}

/** Reads the first rows of a CSV file: fields in quotes, quotes in fields, and line breaks in fields. */
export function parseCsv(source: string, rowsMax: number): CsvPreview {
  const rows: string[][] = [];
  const text = source.replace(/^\uFEFF/u, "");
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field === "") isQuoted = true;
    else if (character === ",") {
      row.push(field);
      field = "";
    } else if (character === "\n" || character === "\r") {
      if (character === "\r" && text[at + 1] === "\n") at += 1;
      rows.push([...row, field]);
      row = [];
      field = "";
      if (rows.length === rowsMax) return { rows, isCut: at + 1 < text.length };
    } else field += character;
  }
  if (row.length > 0 || field !== "") rows.push([...row, field]);
  return { rows, isCut: false };
}
