import type { KeyboardEvent, ReactNode } from "react";
import { ErrorPanel } from "../ui/panels.tsx";

/** Sends with Ctrl+Enter, or ⌘+Enter on a Mac. Escape leaves the field, so that shortcuts work. */
export function onCtrlEnter(send: (form: HTMLFormElement | null) => void) {
  return (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Escape") event.currentTarget.blur();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send(event.currentTarget.form);
  };
}

export const submitOnCtrlEnter = onCtrlEnter((form) => form?.requestSubmit());

/** The error of a form and its buttons. */
export function FormActions({
  error,
  children,
}: {
  readonly error: Error | null;
  readonly children: ReactNode;
}) {
  return (
    <>
      {error !== null && <ErrorPanel error={error} />}
      <div className="flex flex-wrap items-center gap-2">{children}</div>
    </>
  );
}

/** A key that presses the button in which it is shown. It is not part of the button's name. */
export function Key({ children }: { readonly children: string }) {
  return (
    <kbd
      aria-hidden
      className="border-border-strong bg-sunken text-text rounded border px-1 font-mono text-xs max-sm:hidden"
    >
      {children}
    </kbd>
  );
}
