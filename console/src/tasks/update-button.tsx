import { Button } from "../ui/button.tsx";

/** Shows how many rows an update would add and remove, and updates the list. */
export function UpdateButton({
  added,
  gone,
  onClick,
}: {
  readonly added: number;
  readonly gone: number;
  readonly onClick: () => void;
}) {
  const parts = [added > 0 && `${added} new`, gone > 0 && `${gone} no longer match`].filter(
    Boolean,
  );
  return (
    <span role="status">
      {parts.length > 0 && <Button onClick={onClick}>Update the list: {parts.join(", ")}</Button>}
    </span>
  );
}
