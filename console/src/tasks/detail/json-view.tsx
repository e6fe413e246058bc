import { useState } from "react";

/** How many entries of an object or array are shown at first. */
const ENTRIES_MAX = 100;
const TEXT_CHARACTERS_MAX = 5_000;
/** Objects down to this depth are open at first. */
const OPEN_DEPTH = 1;

/** A JSON value as a tree that can be opened and closed. */
export function JsonView({
  value,
  depth = 0,
}: {
  readonly value: unknown;
  readonly depth?: number;
}) {
  if (typeof value !== "object" || value === null) return <Scalar value={value} />;
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return <span className="text-muted">{open + close}</span>;
  return <Branch entries={entries} summary={`${open} ${entries.length} ${close}`} depth={depth} />;
}

function Branch({
  entries,
  summary,
  depth,
}: {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly summary: string;
  readonly depth: number;
}) {
  const [isOpen, setIsOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(ENTRIES_MAX);
  return (
    <details
      className="inline-block max-w-full align-top"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary className="text-muted min-h-target w-fit">{summary}</summary>
      {isOpen && (
        <ul className="border-border ml-1 border-l pl-3">
          {entries.slice(0, shown).map(([key, value]) => (
            <li key={key} className="break-words">
              <bdi className="text-accent">{key}</bdi>: <JsonView value={value} depth={depth + 1} />
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <button
                type="button"
                className="text-accent min-h-target underline"
                onClick={() => setShown(shown + ENTRIES_MAX)}
              >
                Show {Math.min(ENTRIES_MAX, entries.length - shown)} more of{" "}
                {entries.length - shown}
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value !== "string") return <span className="text-info">{String(value)}</span>;
  const isLong = value.length > TEXT_CHARACTERS_MAX;
  return (
    <bdi className="whitespace-pre-wrap">
      “{isLong ? `${value.slice(0, TEXT_CHARACTERS_MAX)}… (${value.length} characters)` : value}”
    </bdi>
  );
}
