import { X } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { ACTIONS, ACTION_LABELS, SUBJECT_TYPES, type AuditSearch } from "./search.ts";
import { capitalize } from "../tools/words.ts";

export function AuditFilterBar({
  search,
  onChange,
}: {
  readonly search: AuditSearch;
  readonly onChange: (next: Record<string, string | undefined>) => void;
}) {
  const change = (part: { readonly [Name in keyof AuditSearch]?: string }): void =>
    onChange({ ...search, ...part });
  return (
    <div
      role="search"
      aria-label="Filters"
      className="grid grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap [&>*]:min-w-0"
    >
      <SelectField
        label="Action"
        value={search.action ?? ""}
        onChange={({ target }) => change({ action: target.value })}
      >
        <option value="">Any action</option>
        {ACTIONS.map((action) => (
          <option key={action} value={action}>
            {ACTION_LABELS[action]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Subject"
        value={search.subjectType ?? ""}
        onChange={({ target }) => change({ subjectType: target.value })}
      >
        <option value="">Any type</option>
        {SUBJECT_TYPES.map((type) => (
          <option key={type} value={type}>
            {capitalize(type)}
          </option>
        ))}
      </SelectField>
      <IdFilter
        label="Subject id"
        value={search.subjectId ?? ""}
        onApply={(subjectId) => change({ subjectId })}
      />
      <IdFilter label="Key id" value={search.keyId ?? ""} onApply={(keyId) => change({ keyId })} />
      <TextField
        type="date"
        label="From (UTC)"
        value={search.from ?? ""}
        max={search.to}
        onChange={({ target }) => change({ from: target.value })}
      />
      <TextField
        type="date"
        label="To (UTC)"
        value={search.to ?? ""}
        min={search.from}
        onChange={({ target }) => change({ to: target.value })}
      />
      {Object.keys(search).length > 0 && (
        <Button kind="quiet" onClick={() => onChange({})}>
          <X aria-hidden className="size-4" />
          Clear the filters
        </Button>
      )}
    </div>
  );
}

/** A filter that applies when the person presses Enter or leaves the field. */
function IdFilter({
  label,
  value,
  onApply,
}: {
  readonly label: string;
  readonly value: string;
  readonly onApply: (value: string) => void;
}) {
  return (
    <TextField
      // A new value from the URL replaces what is typed.
      key={value}
      label={label}
      placeholder="Any id"
      className="sm:max-w-44"
      defaultValue={value}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
      }}
      onBlur={({ target }) => {
        if (target.value.trim() !== value) onApply(target.value);
      }}
    />
  );
}
