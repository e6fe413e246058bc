import type { ReactNode } from "react";

/** The buttons at the end of a form or dialog. */
export function ButtonRow({ children }: { readonly children: ReactNode }) {
  return (
    <div className="bg-raised border-border sticky bottom-0 -mx-4 -mb-4 flex flex-wrap justify-end gap-2 border-t px-4 py-3">
      {children}
    </div>
  );
}
