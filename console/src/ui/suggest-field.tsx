import { useId, type ComponentProps } from "react";
import { TextField } from "./field.tsx";

/** A field for an id that suggests the known ones with their names. */
export function SuggestField({
  options,
  ...props
}: Omit<ComponentProps<typeof TextField>, "list"> & {
  readonly options: readonly { readonly id: string; readonly name: string }[];
}) {
  const listId = useId();
  return (
    <>
      <TextField autoComplete="off" spellCheck={false} {...props} list={listId} />
      <datalist id={listId}>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
