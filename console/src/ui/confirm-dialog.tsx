import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before an action that cannot be undone. `children` says what will happen. */
export function ConfirmDialog({
  title,
  confirm,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly confirm: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="grid gap-4">
        <div className="grid gap-2">{children}</div>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} autoFocus>
            Go back
          </Button>
          <Button
            kind="danger"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
