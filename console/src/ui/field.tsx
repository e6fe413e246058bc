import { useId, type ComponentProps, type ReactNode } from "react";
import { classNames } from "./class-names.ts";

const INPUT =
  "w-full rounded-md border border-border-strong bg-surface px-2.5 py-1.5 text-text disabled:opacity-60 aria-invalid:border-danger";

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Why the value is invalid. */
  readonly error?: ReactNode;
}

/** What a labelled control needs to be connected with its label, hint and error. */
function useField({ hint, error }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return {
    id,
    control: {
      id,
      "aria-invalid": Boolean(error) || undefined,
      "aria-describedby": describedBy || undefined,
    },
  };
}

function Labelled({
  id,
  label,
  hint,
  error,
  children,
}: FieldProps & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-danger text-sm">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & Omit<ComponentProps<"input">, "id">) {
  const { id, control } = useField({ label, hint, error });
  return (
    <Labelled {...{ id, label, hint, error }}>
      <input
        className={classNames(INPUT, className)}
        // Scrolling the page must not change a number.
        onWheel={({ currentTarget }) => {
          if (currentTarget.type === "number") currentTarget.blur();
        }}
        {...control}
        {...rest}
      />
    </Labelled>
  );
}

export function TextArea({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & Omit<ComponentProps<"textarea">, "id">) {
  const { id, control } = useField({ label, hint, error });
  return (
    <Labelled {...{ id, label, hint, error }}>
      <textarea className={classNames(INPUT, "min-h-20", className)} {...control} {...rest} />
    </Labelled>
  );
}

export function SelectField({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & Omit<ComponentProps<"select">, "id">) {
  const { id, control } = useField({ label, hint, error });
  return (
    <Labelled {...{ id, label, hint, error }}>
      <select className={classNames(INPUT, "min-h-8.5", className)} {...control} {...rest} />
    </Labelled>
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: Omit<FieldProps, "error"> & Omit<ComponentProps<"input">, "id" | "type">) {
  const { id, control } = useField({ label, hint });
  return (
    <div className="flex gap-2">
      <input
        type="checkbox"
        className="accent-accent mt-1 size-4 shrink-0"
        {...control}
        {...rest}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-muted text-sm">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
