import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

const KINDS = {
  primary: "border-transparent bg-accent text-accent-text hover:opacity-90",
  secondary: "border-border-strong/40 bg-raised text-text hover:bg-sunken",
  danger: "border-danger/50 bg-danger-soft text-danger hover:border-danger",
  quiet: "border-transparent text-muted hover:bg-sunken hover:text-text",
} as const;

const SHAPE =
  "inline-flex min-h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 py-1 font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-50";

/** The class names of a button, for links that look like buttons. */
export function buttonClass(kind: keyof typeof KINDS = "secondary", extra?: string): string {
  return classNames(SHAPE, KINDS[kind], extra);
}

export function Button({
  kind = "secondary",
  className,
  type = "button",
  ...rest
}: ComponentProps<"button"> & { readonly kind?: keyof typeof KINDS }) {
  return <button type={type} className={buttonClass(kind, className)} {...rest} />;
}

/** A button that shows only an icon. `label` is its accessible name and its tooltip. */
export function IconButton({
  label,
  className,
  type = "button",
  ...rest
}: ComponentProps<"button"> & { readonly label: string }) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={classNames(
        "text-muted hover:bg-sunken hover:text-text inline-flex size-8 shrink-0 items-center justify-center rounded-md disabled:opacity-50",
        className,
      )}
      {...rest}
    />
  );
}
