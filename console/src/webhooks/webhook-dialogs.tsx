import { useState, type SubmitEvent } from "react";
import { problemAt } from "../api/problems.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel } from "../ui/panels.tsx";
import { ShownSecret } from "../ui/shown-secret.tsx";
import { formatExactTime } from "../ui/relative-time.ts";
import { useChangeWebhook, useCreateWebhook, useRotateSecret, type Webhook } from "./queries.ts";
import { WebhookFields } from "./webhook-fields.tsx";
import { draftOf, EMPTY_WEBHOOK, newWebhookBody, webhookChanges } from "./webhook-form.ts";

const VERIFY_HINT =
  "Verify the signature of each message with this secret and a Standard Webhooks library.";

export function NewWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY_WEBHOOK);
  const create = useCreateWebhook();

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    create.mutate(newWebhookBody(draft));
  }

  if (create.data !== undefined) {
    return (
      <Dialog title="Webhook created" isDismissible={false} onClose={onClose}>
        <SecretShown secret={create.data.secret} hint={VERIFY_HINT} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a webhook" onClose={onClose}>
      <form onSubmit={submit} onInput={forgetError(create)} className="grid gap-4">
        <WebhookFields draft={draft} error={create.error} onChange={setDraft} />
        <TextField
          label="Your own secret"
          hint="whsec_ followed by 24 to 64 bytes in base64. If it is empty, the service creates one."
          type="password"
          autoComplete="off"
          value={draft.secret}
          error={problemAt(create.error, "secret")}
          onChange={(event) => setDraft({ ...draft, secret: event.target.value })}
        />
        {create.error && <ErrorPanel error={create.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={create.isPending}>
            {create.isPending ? "Creating …" : "Create"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}

export function EditWebhookDialog({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const change = useChangeWebhook(webhook.id);
  const body = webhookChanges(webhook, draft);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    change.mutate(body, { onSuccess: onClose });
  }

  return (
    <Dialog title="Edit the webhook" onClose={onClose}>
      <form onSubmit={submit} onInput={forgetError(change)} className="grid gap-4">
        <p className="text-muted">
          New settings apply to every attempt that starts after you save, including those for
          earlier events.
        </p>
        <WebhookFields
          draft={draft}
          headerNames={webhook.headerNames}
          error={change.error}
          onChange={setDraft}
        />
        {change.error && <ErrorPanel error={change.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            disabled={change.isPending || Object.keys(body).length === 0}
          >
            {change.isPending ? "Saving …" : "Save"}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}

export function RotateSecretDialog({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const rotate = useRotateSecret(webhook.id);
  if (rotate.data !== undefined) {
    const { secret, previousValidUntil } = rotate.data;
    const hint =
      previousValidUntil === undefined
        ? VERIFY_HINT
        : `Messages are also signed with the previous secret until ${formatExactTime(previousValidUntil)}.`;
    return (
      <Dialog title="Secret rotated" isDismissible={false} onClose={onClose}>
        <SecretShown secret={secret} hint={hint} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <div className="grid gap-4">
        <p>
          The service creates a new secret and shows it once. For 24 hours, messages are also signed
          with the previous one, so that the receiver can switch at any time.
        </p>
        {rotate.error && <ErrorPanel error={rotate.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
            {rotate.isPending ? "Rotating …" : "Rotate the secret"}
          </Button>
        </ButtonRow>
      </div>
    </Dialog>
  );
}

function SecretShown({
  secret,
  hint,
  onClose,
}: {
  readonly secret: string;
  readonly hint: string;
  readonly onClose: () => void;
}) {
  return (
    <div className="grid gap-4">
      <ShownSecret what="secret" secret={secret} />
      <p className="text-muted text-sm">{hint}</p>
      <ButtonRow>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </ButtonRow>
    </div>
  );
}
