import { useState, type ReactNode } from "react";
import type { Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { useRevokeKey, type Key } from "./queries.ts";

/** Revokes a key, and then shows what it created. */
export function RevokeKeyDialog({
  chosen,
  isOwn,
  onClose,
}: {
  readonly chosen: Key;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}) {
  const [cascade, setCascade] = useState(false);
  const revoke = useRevokeKey(chosen.id);
  if (revoke.data !== undefined) {
    return (
      <Dialog title="Key revoked" onClose={onClose}>
        <RevokedKey
          chosen={chosen}
          revoke={revoke}
          created={revoke.data.created}
          onClose={onClose}
        />
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title={
        <>
          Revoke <bdi>{chosen.name}</bdi>?
        </>
      }
      confirm="Revoke"
      mutation={revoke}
      onConfirm={() => revoke.mutate({ cascade })}
      onClose={onClose}
    >
      <p>
        The key <bdi className="font-medium">{chosen.name}</bdi> (<code>{chosen.id}</code>) stops
        working permanently, within ten seconds everywhere. Its sessions and streams end, tasks that
        workers claimed with it return to their queues, and its webhooks are disabled.
      </p>
      {isOwn && (
        <p className="text-danger font-medium">
          You are signed in with this key, so you will be signed out.
        </p>
      )}
      <Checkbox
        label="Also revoke the keys that it created, and disable the agents that it or these keys created"
        hint="This includes keys created by those keys, and so on. The webhooks of these keys are disabled; tools are kept. Otherwise, the next step lists these resources, and you can decide then."
        checked={cascade}
        onChange={(event) => setCascade(event.target.checked)}
      />
    </ConfirmDialog>
  );
}

function RevokedKey({
  chosen,
  revoke,
  created,
  onClose,
}: {
  readonly chosen: Key;
  readonly revoke: ReturnType<typeof useRevokeKey>;
  readonly created: Schemas["CreatedResources"];
  readonly onClose: () => void;
}) {
  const { keys, webhooks, agents, tools, more } = created;
  const canContinue =
    more || keys.some(({ revoked }) => !revoked) || agents.some(({ enabled }) => enabled);
  const isNothing = keys.length + webhooks.length + agents.length + tools.length === 0;
  return (
    <div className="grid gap-4">
      <Notice>
        The key <bdi>{chosen.name}</bdi> is revoked.
      </Notice>
      {isNothing ? (
        <p>It created no keys, webhooks, agents or tools.</p>
      ) : (
        <>
          <Created title="Keys that it created">
            {keys.map(({ id, name, revoked }) => (
              <CreatedItem key={id} id={id} name={name} state={revoked ? "revoked" : "valid"} />
            ))}
          </Created>
          <Created title="Webhooks">
            {webhooks.map(({ id, description, enabled }) => (
              <CreatedItem
                key={id}
                id={id}
                name={description}
                state={enabled ? "enabled" : "disabled"}
              />
            ))}
          </Created>
          <Created title="Agents">
            {agents.map(({ id, name, enabled }) => (
              <CreatedItem key={id} id={id} name={name} state={enabled ? "enabled" : "disabled"} />
            ))}
          </Created>
          <Created title="Tools">
            {tools.map(({ id, name }) => (
              <CreatedItem key={id} id={id} name={name} state="kept" />
            ))}
          </Created>
          {more && <p>There are more. Each list shows at most 100.</p>}
        </>
      )}
      {revoke.error && <ErrorPanel error={revoke.error} />}
      <ButtonRow>
        {canContinue && (
          <Button
            kind="danger"
            disabled={revoke.isPending}
            onClick={() => revoke.mutate({ cascade: true })}
          >
            Revoke these keys and disable these agents
          </Button>
        )}
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </ButtonRow>
    </div>
  );
}

function Created({
  title,
  children,
}: {
  readonly title: string;
  readonly children: readonly ReactNode[];
}) {
  if (children.length === 0) return null;
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      <ul className="list-disc pl-5">{children}</ul>
    </section>
  );
}

function CreatedItem({
  id,
  name,
  state,
}: {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}) {
  return (
    <li className="break-words">
      <bdi>{name}</bdi> <code className="text-muted text-sm break-all">{id}</code>: {state}
    </li>
  );
}
