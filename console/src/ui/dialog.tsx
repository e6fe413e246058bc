import { X } from "lucide-react";
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";

/** The open dialogs. Escape closes only the last one. */
const opened: HTMLDialogElement[] = [];

/**
 * A modal dialog on the browser's `<dialog>`, which keeps the focus inside and gives it back. Escape, a click outside
 * and the button in the title close it, after a question if something was entered in a form.
 * (Radix's dialog adds a style element, which the content security policy rejects.)
 */
export function Dialog({
  title,
  isDismissible = true,
  onClose,
  children,
}: {
  /** Names in the title must be isolated with `<bdi>`. */
  readonly title: ReactNode;
  /** If false, only the content can close the dialog. For what is shown only once. */
  readonly isDismissible?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const isChanged = useRef(false);
  /** Waits for the problem of a submitted form, and then keeps it visible until something is entered. */
  const observer = useRef<MutationObserver>(null);
  const isPressedOutside = useRef(false);
  // A layout effect runs before the next key press, which the dialog must receive.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    dialog.showModal();
    opened.push(dialog);
    // The browser would focus the close button.
    dialog.querySelector<HTMLElement>("input, select, textarea")?.focus();
    return () => {
      opened.splice(opened.indexOf(dialog), 1);
      // Gives the focus back, which removing the element does not.
      dialog.close();
    };
  }, []);

  function leave(): void {
    if (!isDismissible) return;
    if (isChanged.current && !window.confirm("Discard what you have entered?")) return;
    ref.current?.close();
  }
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    if (opened.at(-1) !== ref.current) return;
    // A browser lets the page prevent the `cancel` event only once.
    event.preventDefault();
    leave();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKeyDown(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
  const noteChange = ({ target }: { readonly target: EventTarget }): void => {
    observer.current?.disconnect();
    if (target instanceof Element && target.closest("form") !== null) isChanged.current = true;
  };
  // The response to a form arrives at any time after it was submitted.
  const onSubmit = ({ currentTarget }: { readonly currentTarget: HTMLDialogElement }): void => {
    const earlier = new Set(currentTarget.querySelectorAll("[role=alert]"));
    let shown: HTMLElement | null = null;
    const reveal = (): void => {
      // Parts of the form that are loaded later can move the problem.
      if (shown?.isConnected) shown.scrollIntoView({ block: "nearest" });
      else shown = revealProblem(currentTarget, earlier);
    };
    observer.current?.disconnect();
    observer.current = new MutationObserver(reveal);
    const attributeFilter = ["aria-invalid", "data-invalid"];
    observer.current.observe(currentTarget, { subtree: true, childList: true, attributeFilter });
    // A field can have the same problem as before, so that nothing changes.
    requestAnimationFrame(reveal);
  };
  useEffect(() => () => observer.current?.disconnect(), []);

  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onInput={noteChange}
      onSubmit={onSubmit}
      // The browser cannot show the problem of a field in closed details.
      onInvalidCapture={({ target }) => {
        if (target instanceof Element) openDetails(target);
      }}
      onDrop={noteChange}
      onClose={({ currentTarget }) => {
        // In React's strict mode, the dialog is closed and opened again.
        if (!currentTarget.open) onClose();
      }}
      onCancel={(event) => {
        // A file input also sends this event.
        if (event.target !== ref.current) return;
        event.preventDefault();
        leave();
      }}
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === ref.current;
      }}
      onClick={(event) => {
        if (isPressedOutside.current && event.target === ref.current) leave();
      }}
      className="border-border bg-raised text-text m-auto max-h-[90dvh] w-full max-w-xl overflow-auto rounded-lg border p-0 shadow-xl"
    >
      <div className="p-4">
        <div className="mb-3 flex items-center justify-between gap-2">
          <h2 id={titleId} className="min-w-0 text-lg font-semibold break-words">
            {title}
          </h2>
          {isDismissible && (
            <IconButton label="Close" onClick={leave}>
              <X aria-hidden className="size-4" />
            </IconButton>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}

/**
 * Shows the first invalid field, or a new error of the whole form, which may be outside the visible part of the dialog.
 * Returns its element.
 */
function revealProblem(
  dialog: HTMLDialogElement,
  earlier: ReadonlySet<Element>,
): HTMLElement | null {
  const problems = dialog.querySelectorAll<HTMLElement>(
    "[aria-invalid=true], [data-invalid=true], [role=alert]",
  );
  const problem = [...problems].find((one) => !earlier.has(one));
  if (problem === undefined) return null;
  openDetails(problem);
  const isField = problem.role !== "alert";
  const field = problem.matches("fieldset") ? problem.querySelector("input") : problem;
  if (isField) field?.focus();
  problem.scrollIntoView({ block: "nearest" });
  return problem;
}

function openDetails(element: Element): void {
  element.closest("details")?.setAttribute("open", "");
}
