import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";

/**
 * A modal dialog on the browser's `<dialog>`, which keeps the focus inside, closes on Escape and gives the focus back.
 * (Radix's dialog adds a style element, which the content security policy rejects.)
 */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect runs before the next key press, which the dialog must receive.
  useLayoutEffect(() => {
    ref.current?.showModal();
    // The browser would focus the close button.
    ref.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current.close();
      }}
      className="border-border bg-raised text-text m-auto max-h-[90dvh] w-full max-w-xl overflow-auto rounded-lg border p-0 shadow-xl"
    >
      <div className="p-4">
        <div className="mb-3 flex items-center justify-between gap-2">
          <h2 id={titleId} className="min-w-0 text-lg font-semibold break-words">
            {title}
          </h2>
          <IconButton label="Close" onClick={() => ref.current?.close()}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
        {children}
      </div>
    </dialog>
  );
}
