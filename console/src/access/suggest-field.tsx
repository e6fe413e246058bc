import { useId } from "react";
import { TextField } from "../ui/field.tsx";

/** A field for an id that suggests the known ones with their names. */
export function SuggestField({
  label,
  value,
  options,
  hint,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly hint?: string;
  readonly onChange: (id: string) => void;
}) {
  const listId = useId();
  return (
    <>
      <TextField
        label={label}
        hint={hint}
        list={listId}
        required
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
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
