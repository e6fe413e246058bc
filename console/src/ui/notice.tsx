import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";

/** Says that an action succeeded. */
export function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div
      role="status"
      className="border-success/30 bg-success-soft text-success flex gap-2 rounded-md border p-3"
    >
      <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 break-words">{children}</div>
    </div>
  );
}
