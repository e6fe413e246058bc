/** A JSON value as formatted text. */
export function JsonText({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <figure className="grid min-w-0 content-start gap-1">
      <figcaption className="text-muted">{label}</figcaption>
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="bg-sunken border-border max-h-80 min-w-0 overflow-auto rounded-md border p-2 text-sm break-words whitespace-pre-wrap"
      >
        {JSON.stringify(value, null, 2)}
      </pre>
    </figure>
  );
}
