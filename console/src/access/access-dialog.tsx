import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useHasScope } from "../session/identity.ts";
import { toolQuery, type Tool } from "../tools/queries.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { GrantForm } from "./grant-form.tsx";
import { RevokeForm } from "./revoke-form.tsx";
import { grantQuery, type Grant } from "./queries.ts";

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
  // The form replaces the whole grant, so it must not start from an outdated one.
  const fresh = { staleTime: 0, refetchOnMount: "always" } as const;
  const tool = useQuery({ ...toolQuery(toolId), ...fresh });
  const grant = useQuery({ ...grantQuery(agentId, toolId), ...fresh });
  const parts = [tool, grant];
  const failed = parts.find(({ isError }) => isError);
  const isLoading = parts.some((part) => part.isFetching && !part.isFetchedAfterMount);
  return (
    <Dialog
      title={
        <>
          <bdi>{agentName}</bdi>: <bdi>{tool.data?.tool.name ?? toolId}</bdi>
        </>
      }
      onClose={onClose}
    >
      {failed?.error && <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />}
      {isLoading && <Loading what="the grant" />}
      {!isLoading && tool.data !== undefined && grant.data !== undefined && (
        <GrantOfTool
          agentId={agentId}
          agentName={agentName}
          tool={tool.data.tool}
          granted={grant.data}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

/** What a grant allows, in a sentence. */
function describeGrant(granted: Grant | null, total: number): string {
  if (granted === null) return "This agent may not use the tool.";
  if (granted.allCapabilities)
    return "This agent may use all capabilities, including those added later.";
  return `This agent may use only listed capabilities: ${granted.capabilities?.length ?? 0} of ${total}.`;
}

function GrantOfTool({
  agentId,
  agentName,
  tool,
  granted,
  onClose,
}: {
  readonly agentId: string;
  readonly agentName: string;
  readonly tool: Tool;
  readonly granted: Grant | null;
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
        {describeGrant(granted, tool.totalCapabilities)}{" "}
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
