/** The class names of a drop-down menu and its items. */
export const MENU =
  "border-border bg-raised text-text z-20 max-h-[60dvh] min-w-44 max-w-[calc(100vw-1.5rem)] overflow-y-auto rounded-md border p-1 shadow-lg";
export const MENU_ITEM =
  "data-[highlighted]:bg-accent-soft data-[highlighted]:text-accent flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 py-1 outline-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50";
