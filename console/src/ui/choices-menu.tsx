import { ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { Button } from "./button.tsx";
import { MENU, MENU_ITEM } from "./menu.ts";

/** A menu of values of which any number can be chosen. `onChange` gets the chosen ones, separated by commas. */
export function ChoicesMenu<Choice extends string>({
  label,
  plural,
  choices,
  labels,
  chosen,
  onChange,
}: {
  /** The singular, such as `Status`. */
  readonly label: string;
  readonly plural: string;
  readonly choices: readonly Choice[];
  readonly labels: Readonly<Record<Choice, string>>;
  readonly chosen: readonly Choice[];
  readonly onChange: (chosen: string) => void;
}) {
  const [first] = chosen;
  const shown =
    first === undefined
      ? `Any ${label.toLowerCase()}`
      : chosen.length === 1
        ? labels[first]
        : `${chosen.length} ${plural}`;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button aria-label={`${label}: ${shown}`}>
          {shown}
          <ChevronDown aria-hidden className="size-4" />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
          {choices.map((choice) => (
            <DropdownMenu.CheckboxItem
              key={choice}
              className={MENU_ITEM}
              checked={chosen.includes(choice)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(isChecked) =>
                onChange(
                  choices
                    .filter((one) => (one === choice ? isChecked : chosen.includes(one)))
                    .join(","),
                )
              }
            >
              <span aria-hidden className="w-4">
                {chosen.includes(choice) ? "✓" : ""}
              </span>
              {labels[choice]}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
