export const CSV_COLUMNS_MAX = 50;
export const CSV_CELL_CHARACTERS_MAX = 1_000;

export interface CsvPreview {
  readonly rows: readonly (readonly string[])[];
  /** Whether the file has more rows than the preview. */
  readonly isCut: boolean;
  /** Whether a row of the preview has more columns, or longer cells, in the file. */
  readonly isShortened: boolean;
}

/** Reads the first rows of a CSV file: fields in quotes, quotes in fields, and line breaks in fields. */
export function parseCsv(source: string, rowsMax: number): CsvPreview {
  const rows: string[][] = [];
  const text = source.replace(/^\uFEFF/u, "");
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  let isShortened = false;

  function append(character: string): void {
    if (field.length < CSV_CELL_CHARACTERS_MAX) field += character;
    else isShortened = true;
  }
  function endField(): void {
    if (row.length < CSV_COLUMNS_MAX) row.push(field);
    else isShortened = true;
    field = "";
  }
  function endRow(): void {
    endField();
    rows.push(row);
    row = [];
  }

  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') append(character);
      else if (text[at + 1] === '"') {
        append('"');
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field === "") isQuoted = true;
    else if (character === ",") endField();
    else if (character === "\n" || character === "\r") {
      if (character === "\r" && text[at + 1] === "\n") at += 1;
      endRow();
      if (rows.length === rowsMax) return { rows, isCut: at + 1 < text.length, isShortened };
    } else append(character);
  }
  if (row.length > 0 || field !== "") endRow();
  return { rows, isCut: false, isShortened };
}
