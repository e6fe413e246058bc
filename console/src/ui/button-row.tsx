import type { ReactNode } from "react";

/** The buttons at the end of a form or dialog. */
export function ButtonRow({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2">{children}</div>;
}
