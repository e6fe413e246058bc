import { problemAt } from "../api/problems.ts";
import { TextField } from "../ui/field.tsx";
import { LIMIT_LABELS, LIMIT_NAMES, type LimitTexts } from "./limits.ts";

/** Fields for the limits of a key. An empty field means the default. */
export function LimitFields({
  texts,
  onChange,
  error,
}: {
  readonly texts: LimitTexts;
  readonly onChange: (texts: LimitTexts) => void;
  readonly error: Error | null;
}) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {LIMIT_NAMES.map((name) => (
        <TextField
          key={name}
          label={LIMIT_LABELS[name]}
          type="number"
          min={0}
          step={1}
          placeholder="Default"
          value={texts[name]}
          error={problemAt(error, `limits.${name}`)}
          onChange={(event) => onChange({ ...texts, [name]: event.target.value })}
        />
      ))}
    </div>
  );
}
