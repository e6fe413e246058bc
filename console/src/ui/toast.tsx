import { useEffect, useRef, useState, type ReactNode } from "react";

/** How long a toast is shown. */
const SHOWN_MS = 10_000;

/**
 * A message that confirms an action. The toast overlays the page, so the layout does not shift. `show` moves the focus to
 * the toast, because the form that had the focus may be closed.
 */
export function useToast(): {
  readonly show: (text: string) => void;
  readonly toast: ReactNode;
} {
  // With a number, so that the same text can be shown and announced again.
  const [shown, setShown] = useState<{ readonly text: string; readonly count: number } | null>(
    null,
  );
  const ref = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const timer = setTimeout(() => setShown(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);

  return {
    show(text) {
      setShown((before) => ({ text, count: (before?.count ?? 0) + 1 }));
      ref.current?.focus();
    },
    toast: (
      <div
        ref={ref}
        tabIndex={-1}
        role="status"
        className="pointer-events-none fixed inset-x-3 bottom-3 z-20 flex justify-center"
      >
        {shown !== null && (
          <p
            key={shown.count}
            className="border-success/40 bg-success-soft text-success rounded-md border px-3 py-2 shadow-lg"
          >
            {shown.text}
          </p>
        )}
      </div>
    ),
  };
}
