import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, dataOf } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Card, ErrorPanel } from "../ui/panels.tsx";
import type { ImportSourceKind } from "./import-input.ts";
import type { Tool } from "./queries.ts";
import { SettingsForm } from "./settings-form.tsx";
import { count } from "./words.ts";

/** Changes or deletes a tool. Built-in tools cannot be changed. */
export function SettingsPanel({
  tool,
  etag,
}: {
  readonly tool: Tool;
  readonly etag: string | null;
}) {
  return (
    <div className="grid max-w-3xl gap-4">
      {tool.source && <Source tool={tool} source={tool.source} />}
      <SettingsForm tool={tool} etag={etag} />
      <DeleteTool tool={tool} />
    </div>
  );
}

function Source({
  tool,
  source,
}: {
  readonly tool: Tool;
  readonly source: NonNullable<Tool["source"]>;
}) {
  const { type, url } = source;
  return (
    <Card title="Source">
      <p className="mb-2 break-words">
        Imported from {type === "mcp" ? "the MCP server" : "the OpenAPI document"}{" "}
        {url === null ? "in a request" : <code className="break-all">{url}</code>}. Import it again
        to update the capabilities.
      </p>
      <Link
        to="/tools/import"
        search={{ id: tool.id, from: sourceKindOf(source), ...(url !== null && { url }) }}
        className="text-accent underline"
      >
        Import again
      </Link>
    </Card>
  );
}

function sourceKindOf({ type, url }: NonNullable<Tool["source"]>): ImportSourceKind {
  if (type === "mcp") return "mcp";
  return url === null ? "file" : "openapi";
}

function DeleteTool({ tool }: { readonly tool: Tool }) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const retire = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE("/agents/tools/{id}", { params: { path: { id: tool.id } } })),
    onSuccess: async () => {
      await navigate({ to: "/tools" });
      queryClient.removeQueries({ queryKey: ["tool", tool.id] });
      await queryClient.invalidateQueries({ queryKey: ["tools"] });
    },
  });
  return (
    <Card title="Retire">
      <p className="mb-3">
        Permanently removes the tool from the catalogue, and deletes its credentials.
      </p>
      {retire.error && <ErrorPanel error={retire.error} />}
      <Button kind="danger" disabled={retire.isPending} onClick={() => setIsAsking(true)}>
        {retire.isPending ? "Retiring …" : "Retire the tool"}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={
            <>
              Retire <bdi>{tool.name}</bdi>?
            </>
          }
          confirm="Retire the tool"
          onConfirm={() => retire.mutate()}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {count(tool.agents.length, "agent")} will lose access to{" "}
            {count(tool.totalCapabilities, "capability", "capabilities")}. The tool's credentials
            will be deleted. Its usage is kept.
          </p>
          <p>
            The id <code className="break-all">{tool.id}</code> cannot be used again. This cannot be
            undone.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
