import { useMemo } from "react";
import { classNames } from "../../ui/class-names.ts";
import { parseInline, type MarkdownBlock } from "./markdown.ts";
import { previewMarkdown } from "./markdown-preview.ts";

/** A Markdown file as headings, lists, tables and paragraphs. Links are shown as they are written. */
export function MarkdownText({ source }: { readonly source: string }) {
  const { blocks, isCut } = useMemo(() => previewMarkdown(source), [source]);
  return (
    <div className="grid gap-1 [&>*]:min-w-0">
      <div
        dir="auto"
        role="region"
        aria-label="Preview"
        tabIndex={0}
        className="grid max-h-[70dvh] gap-2 overflow-auto break-words [&>*]:min-w-0"
      >
        {blocks.map((block, index) => (
          <Block key={index} block={block} />
        ))}
      </div>
      {isCut && (
        <p className="text-muted text-sm">The first part of the file. Download it to see all.</p>
      )}
    </div>
  );
}

/** A text that may contain Markdown, such as a summary. Its line breaks are kept. */
export function MarkdownSummary({ source }: { readonly source: string }) {
  const { blocks, isCut } = useMemo(() => previewMarkdown(source), [source]);
  return (
    <div dir="auto" className="grid gap-2 break-words whitespace-pre-line [&>*]:min-w-0">
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {isCut && "…"}
    </div>
  );
}

const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

function Block({ block }: { readonly block: MarkdownBlock }) {
  switch (block.kind) {
    case "heading": {
      // The page's own headings come before those of the file.
      const Heading = HEADINGS[Math.min(block.level - 1, HEADINGS.length - 1)] ?? "h6";
      return (
        <Heading className={classNames("mt-2 font-semibold", block.level <= 2 && "text-base")}>
          <Inline text={block.text} />
        </Heading>
      );
    }
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Inline text={item} />
        </li>
      ));
      if (block.start === null) return <ul className="list-disc ps-5">{items}</ul>;
      return (
        <ol start={block.start} className="list-decimal ps-8">
          {items}
        </ol>
      );
    }
    case "table":
      return <Table rows={block.rows} />;
    case "code":
      return <pre className="bg-sunken overflow-x-auto rounded p-2 text-sm">{block.text}</pre>;
    case "quote":
      return (
        <blockquote className="border-border-strong border-s-2 ps-3 whitespace-pre-wrap">
          <Inline text={block.text} />
        </blockquote>
      );
    case "paragraph":
      return (
        <p>
          <Inline text={block.text} />
        </p>
      );
  }
}

function Table({ rows }: { readonly rows: readonly (readonly string[])[] }) {
  const [header = [], ...body] = rows;
  return (
    <div role="region" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table className="text-left text-sm">
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col" className="border-border border-b py-1 pr-4 font-medium">
                <Inline text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index} className="border-border border-b">
              {row.map((cell, column) => (
                <td key={column} className="py-0.5 pr-4">
                  <Inline text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ text }: { readonly text: string }) {
  return parseInline(text).map(({ kind, text: part }, index) => {
    if (kind === "strong") return <strong key={index}>{part}</strong>;
    if (kind === "code") return <code key={index}>{part}</code>;
    return <span key={index}>{part}</span>;
  });
}
