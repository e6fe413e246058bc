import { CopyButton } from "./copy-button.tsx";
import { Notice } from "./notice.tsx";

/** A secret that the API shows only once. */
export function ShownSecret({ what, secret }: { readonly what: string; readonly secret: string }) {
  return (
    <div className="grid gap-3">
      <Notice>Copy the {what} now. It is not shown again.</Notice>
      <div
        role="group"
        aria-label={`The ${what}`}
        className="border-border-strong bg-sunken flex items-start gap-2 rounded-md border p-2"
      >
        <code className="min-w-0 flex-1 py-1 break-all select-all">{secret}</code>
        <CopyButton text={secret} label={`Copy the ${what}`} />
      </div>
    </div>
  );
}
