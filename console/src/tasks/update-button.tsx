import { Button } from "../ui/button.tsx";

/** Shows how many rows an update would add and remove, and updates the list. */
export function UpdateButton({
  added,
  gone,
  label = "Update the list",
  goneText = "no longer match",
  className,
  onClick,
}: {
  readonly added: number;
  readonly gone: number;
  readonly label?: string;
  readonly goneText?: string;
  readonly className?: string;
  readonly onClick: () => void;
}) {
  const parts = [added > 0 && `${added} new`, gone > 0 && `${gone} ${goneText}`].filter(Boolean);
  return (
    <span role="status">
      {parts.length > 0 && (
        <Button className={className} onClick={onClick}>
          {label}: {parts.join(", ")}
        </Button>
      )}
    </span>
  );
}
