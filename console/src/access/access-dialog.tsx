import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useHasScope } from "../session/identity.ts";
import { toolQuery, type Tool } from "../tools/queries.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { GrantForm } from "./grant-form.tsx";
import { RevokeForm } from "./revoke-form.tsx";
import { agentAccessQuery } from "./queries.ts";

/** What one agent may use of one tool, and the forms that change it. */
export function AccessDialog({
  agentId,
  agentName,
  toolId,
  onClose,
}: {
  readonly agentId: string;
  readonly agentName: string;
  readonly toolId: string;
  readonly onClose: () => void;
}) {
  const tool = useQuery(toolQuery(toolId));
  const access = useQuery(agentAccessQuery(agentId));
  const failed = [tool, access].find(({ isError }) => isError);
  const toolName = tool.data?.tool.name ?? toolId;
  return (
    <Dialog
      title={
        <>
          <bdi>{agentName}</bdi>: <bdi>{toolName}</bdi>
        </>
      }
      onClose={onClose}
    >
      {failed?.error && <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />}
      {(tool.isPending || access.isPending) && <Loading what="the grant" />}
      {tool.data && access.data && (
        <Grant
          agentId={agentId}
          agentName={agentName}
          tool={tool.data.tool}
          granted={access.data.get(toolId)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function Grant({
  agentId,
  agentName,
  tool,
  granted,
  onClose,
}: {
  readonly agentId: string;
  readonly agentName: string;
  readonly tool: Tool;
  readonly granted: Parameters<typeof GrantForm>[0]["granted"];
  readonly onClose: () => void;
}) {
  const mayChange = useHasScope("access:manage");
  const [isRevoking, setIsRevoking] = useState(false);
  if (isRevoking) {
    return (
      <RevokeForm {...{ agentId, agentName, tool, onClose }} onKeep={() => setIsRevoking(false)} />
    );
  }
  return (
    <div className="grid gap-4">
      <p>
        {granted === undefined
          ? "This agent may not use the tool."
          : `This agent may use ${granted.capabilities.length} of ${tool.totalCapabilities} capabilities.`}{" "}
        <Link
          to="/access"
          search={{ view: "why", agentId, toolId: tool.id }}
          className="text-accent underline"
        >
          Why?
        </Link>
      </p>
      {mayChange ? (
        <GrantForm {...{ agentId, tool, granted, onClose }} onRevoke={() => setIsRevoking(true)} />
      ) : (
        <p className="text-muted">
          Changing access requires the scope <code>access:manage</code>.
        </p>
      )}
    </div>
  );
}
