import { useEffect, useRef, useState, type ReactNode } from "react";

/** How long a toast is shown. */
const SHOWN_MS = 10_000;

/**
 * Says what was done, above the page, so that nothing moves when the toast appears or disappears. `show` moves the focus
 * there, because the form that had it may be gone.
 */
export function useToast(): {
  readonly show: (text: string) => void;
  readonly toast: ReactNode;
} {
  const [text, setText] = useState<string | null>(null);
  const ref = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const timer = setTimeout(() => setText(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);

  return {
    show(next) {
      setText(next);
      ref.current?.focus();
    },
    toast: (
      <div
        ref={ref}
        tabIndex={-1}
        role="status"
        className="pointer-events-none fixed inset-x-3 bottom-3 z-20 flex justify-center"
      >
        {text !== null && (
          <p className="border-success/40 bg-success-soft text-success rounded-md border px-3 py-2 shadow-lg">
            <bdi>{text}</bdi>
          </p>
        )}
      </div>
    ),
  };
}
