import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { ErrorPanel, Loading } from "../../ui/panels.tsx";
import { CSV_CELL_CHARACTERS_MAX, CSV_COLUMNS_MAX, parseCsv } from "./csv.ts";
import { MarkdownText } from "./markdown-text.tsx";
import { imageTypeOf, previewKindOf, type PreviewKind } from "./preview-kind.ts";
import { fileQuery, type Deliverable } from "./queries.ts";
import { withoutActiveContent } from "./static-html.ts";

/** A larger file is only offered as a download. */
const PREVIEW_BYTES_MAX = 2 * 1024 * 1024;
const CSV_ROWS_MAX = 201;

export function FilePreview({
  taskId,
  file,
}: {
  readonly taskId: string;
  readonly file: Deliverable;
}) {
  const kind = previewKindOf(file.format);
  const isShown = kind !== null && file.size <= PREVIEW_BYTES_MAX;
  const { data: blob, error, refetch } = useQuery({ ...fileQuery(taskId, file), enabled: isShown });
  if (kind === null)
    return <p className="text-muted">There is no preview of this kind of file. Download it.</p>;
  if (!isShown) return <p className="text-muted">The file is too large for a preview.</p>;
  if (error !== null) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (blob === undefined) return <Loading what="the file" />;
  if (kind === "image") return <ImagePreview blob={blob} file={file} />;
  return <TextPreview blob={blob} kind={kind} name={file.name} />;
}

/** A URL of a blob while the component is shown. */
function useObjectUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  return url;
}

/** Browsers do not run scripts of an SVG in `<img>`, and do not load anything for it. */
function ImagePreview({ blob, file }: { readonly blob: Blob; readonly file: Deliverable }) {
  const typed = useMemo(() => new Blob([blob], { type: imageTypeOf(file.format) }), [blob, file]);
  const url = useObjectUrl(typed);
  if (url === null) return null;
  return (
    <img
      src={url}
      alt={`Preview of ${file.name}`}
      className="border-border max-h-[70dvh] max-w-full justify-self-start rounded border bg-white"
    />
  );
}

function TextPreview({
  blob,
  kind,
  name,
}: {
  readonly blob: Blob;
  readonly kind: Exclude<PreviewKind, "image">;
  readonly name: string;
}) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void blob.text().then((read) => {
      if (isCurrent) setText(read);
    });
    return () => {
      isCurrent = false;
    };
  }, [blob]);
  if (text === null) return null;
  switch (kind) {
    case "markdown":
      return <MarkdownText source={text} />;
    case "csv":
      return <CsvTable source={text} name={name} />;
    case "html":
      return <HtmlPreview source={text} name={name} />;
    case "text":
      return (
        <pre dir="auto" tabIndex={0} className="max-h-[70dvh] overflow-auto text-sm">
          {text}
        </pre>
      );
  }
}

function CsvTable({ source, name }: { readonly source: string; readonly name: string }) {
  const { rows, isCut, isShortened } = useMemo(() => parseCsv(source, CSV_ROWS_MAX), [source]);
  const [header = [], ...body] = rows;
  return (
    <div className="grid gap-1 [&>*]:min-w-0">
      <div
        role="region"
        aria-label={`Preview of ${name}`}
        tabIndex={0}
        className="max-h-[70dvh] overflow-auto"
      >
        <table className="text-left text-sm">
          <thead className="bg-surface sticky top-0">
            <tr>
              {header.map((cell, index) => (
                <th
                  key={index}
                  scope="col"
                  className="border-border border-b py-1 pr-4 font-medium"
                >
                  <bdi>{cell}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              <tr key={index} className="border-border border-b">
                {row.map((cell, column) => (
                  <td key={column} className="max-w-80 py-0.5 pr-4 break-words">
                    <bdi>{cell}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && <p className="text-muted text-sm">The first {body.length} rows.</p>}
      {isShortened && (
        <p className="text-muted text-sm">
          At most {CSV_COLUMNS_MAX} columns, and {CSV_CELL_CHARACTERS_MAX.toLocaleString("en")}{" "}
          characters of each cell.
        </p>
      )}
    </div>
  );
}

/**
 * The frame has its own origin and runs no scripts. It inherits the page's content security policy, which would report
 * inline styles and remote images, so they are removed.
 */
function HtmlPreview({ source, name }: { readonly source: string; readonly name: string }) {
  const blob = useMemo(
    () => new Blob([withoutActiveContent(source)], { type: "text/html; charset=utf-8" }),
    [source],
  );
  const url = useObjectUrl(blob);
  return (
    <>
      <p className="text-muted text-sm">
        Shown without its styles, scripts and remote content. Download the file to see them.
      </p>
      {url !== null && (
        <iframe
          sandbox=""
          src={url}
          title={`Preview of ${name}`}
          className="border-border h-[70dvh] w-full rounded border bg-white [color-scheme:light]"
        />
      )}
    </>
  );
}
