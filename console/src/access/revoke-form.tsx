import type { Tool } from "../tools/queries.ts";
import { Button } from "../ui/button.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { useChangeAccess } from "./queries.ts";

/** Asks before a grant is revoked. */
export function RevokeForm({
  agentId,
  agentName,
  tool,
  onKeep,
  onClose,
}: {
  readonly agentId: string;
  readonly agentName: string;
  readonly tool: Tool;
  readonly onKeep: () => void;
  readonly onClose: () => void;
}) {
  const change = useChangeAccess(agentId, tool.id);
  return (
    <div className="grid gap-4">
      <p className="break-words">
        Starting with its next request, <bdi>{agentName}</bdi> can no longer call{" "}
        <bdi>{tool.name}</bdi>. A running call is completed.
      </p>
      {change.error && <ErrorPanel error={change.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onKeep} autoFocus>
          Cancel
        </Button>
        <Button
          kind="danger"
          disabled={change.isPending}
          onClick={() => change.mutate("revoke", { onSuccess: onClose })}
        >
          {change.isPending ? "Revoking …" : "Revoke the access"}
        </Button>
      </div>
    </div>
  );
}
