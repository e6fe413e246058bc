import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { agentAccessQuery } from "../access/queries.ts";
import { SuggestField } from "../ui/suggest-field.tsx";
import { agentsQuery } from "../agents/queries.ts";
import { api, dataOf } from "../api/client.ts";
import { toolQuery, toolsQuery } from "../tools/queries.ts";
import { count } from "../tools/words.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";

/** Grants all capabilities of a tool to an agent, and shows what the agent may use now. */
export function GrantStep({
  agentId,
  toolId,
  onGranted,
}: {
  readonly agentId: string | null;
  readonly toolId: string | null;
  readonly onGranted: (granted: { readonly agentId: string; readonly toolId: string }) => void;
}) {
  const agents = useQuery(agentsQuery);
  const tools = useQuery(toolsQuery({ limit: 100 }));
  const [agent, setAgent] = useState(agentId ?? "");
  const [tool, setTool] = useState(toolId ?? "");
  const queryClient = useQueryClient();
  const grant = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/agents/tools/access", {
          body: { agentId: agent.trim(), toolId: tool.trim() },
        }),
      ),
    onSuccess: async (granted) => {
      onGranted({ agentId: granted.agentId, toolId: granted.toolId });
      await Promise.all(
        ["access", "tool", "tools", "agents"].map((name) =>
          queryClient.invalidateQueries({ queryKey: [name] }),
        ),
      );
    },
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    grant.mutate();
  }

  return (
    <div className="grid gap-4">
      <form onSubmit={submit} className="grid items-start gap-4 sm:grid-cols-2">
        <SuggestField
          required
          label="Agent"
          hint="A new id registers a built-in agent."
          value={agent}
          options={agents.data?.agents ?? []}
          onChange={({ target }) => setAgent(target.value)}
        />
        <SuggestField
          required
          label="Tool"
          hint="All its capabilities are granted. You can restrict them under Access."
          value={tool}
          options={tools.data?.tools ?? []}
          onChange={({ target }) => setTool(target.value)}
        />
        <div className="grid justify-items-start gap-3 sm:col-span-2">
          {grant.error && <ErrorPanel error={grant.error} />}
          <Button kind="primary" type="submit" disabled={grant.isPending}>
            {grant.isPending ? "Granting …" : "Grant the tool"}
          </Button>
        </div>
      </form>
      {agentId !== null && toolId !== null && <GrantResult agentId={agentId} toolId={toolId} />}
    </div>
  );
}

function GrantResult({ agentId, toolId }: { readonly agentId: string; readonly toolId: string }) {
  const access = useQuery(agentAccessQuery(agentId));
  const tool = useQuery(toolQuery(toolId));
  const failed = [access, tool].find(({ isError }) => isError);
  if (failed?.error) return <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />;
  if (access.data === undefined || tool.data === undefined) return <Loading what="the grant" />;
  const granted = access.data.get(toolId)?.capabilities.length ?? 0;
  const { name, totalCapabilities, capabilities } = tool.data.tool;
  const [first] = capabilities;
  return (
    <div role="status" className="border-border bg-sunken grid gap-2 rounded-md border p-3">
      <p className="break-words">
        <code className="break-all">{agentId}</code> may use {granted} of{" "}
        {count(totalCapabilities, "capability", "capabilities")} of{" "}
        <bdi className="font-semibold">{name}</bdi>.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link
          to="/access"
          search={{ agents: agentId, agentId, toolId }}
          className={buttonClass("secondary")}
        >
          Show the grant
        </Link>
        {first !== undefined && (
          <Link
            to="/tools/$toolId"
            params={{ toolId }}
            search={{ tab: "try", capability: first.id }}
            className={buttonClass("secondary")}
          >
            Try the tool
          </Link>
        )}
      </div>
    </div>
  );
}
