import { useEffect, useEffectEvent, useState } from "react";
import { TextField } from "../ui/field.tsx";

const SETTLE_MS = 250;

/** A search field that reports its text once typing pauses. `value` is the text in effect, as the URL states it. */
export function SearchField({
  label,
  value,
  placeholder,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (text: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    if (typed.trim() !== value) setTyped(value);
  }
  const report = useEffectEvent(() => {
    if (typed.trim() !== value) onChange(typed.trim());
  });
  useEffect(() => {
    const timer = setTimeout(report, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TextField
      label={label}
      type="search"
      value={typed}
      maxLength={200}
      placeholder={placeholder}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
