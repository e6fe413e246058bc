import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ButtonRow } from "./button-row.tsx";
import { ErrorPanel } from "./panels.tsx";

/**
 * Asks before an action that cannot be undone. `children` says what will happen. With `mutation`, the dialog stays open
 * and shows its error; the caller closes it when the mutation succeeds.
 */
export function ConfirmDialog({
  title,
  confirm,
  dismiss = "Cancel",
  mutation,
  onConfirm,
  onClose,
  children,
}: {
  /** Names in it must be isolated with `<bdi>`. */
  readonly title: ReactNode;
  readonly confirm: string;
  /** The button that leaves everything unchanged. */
  readonly dismiss?: string;
  readonly mutation?: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="grid gap-4">
        <div className="grid gap-2 break-words">{children}</div>
        {mutation?.error && <ErrorPanel error={mutation.error} />}
        <ButtonRow>
          <Button onClick={onClose}>{dismiss}</Button>
          <Button
            kind="danger"
            disabled={mutation?.isPending}
            onClick={() => {
              onConfirm();
              if (mutation === undefined) onClose();
            }}
          >
            {mutation?.isPending ? "Please wait …" : confirm}
          </Button>
        </ButtonRow>
      </div>
    </Dialog>
  );
}
