import { Dialog } from "../ui/dialog.tsx";
import { listShortcuts } from "./shortcuts.ts";

export function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = [
    ...listShortcuts(),
    { keys: "Ctrl K", label: "Search and run actions (⌘ K on a Mac)" },
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys} className="col-span-2 grid grid-cols-subgrid">
            <dt>
              {keys.split(" ").map((key) => (
                <kbd
                  key={key}
                  className="border-border-strong bg-sunken mr-1 inline-block min-w-6 rounded border px-1.5 text-center font-mono text-sm"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
