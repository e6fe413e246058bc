import { Link, useSearch } from "@tanstack/react-router";
import { ViewHeader } from "../ui/panels.tsx";
import { ImportWizard } from "./import-wizard.tsx";

/** Imports an API or an MCP server as a tool, or updates a tool from its source. */
export function ImportView() {
  const { id, from, url } = useSearch({ from: "/shell/tools/import" });
  return (
    <>
      <ViewHeader title="Import a tool">
        <Link to="/tools" className="text-accent underline">
          All tools
        </Link>
      </ViewHeader>
      <p className="text-muted mb-4 max-w-prose">
        Each operation of an API, or each tool of an MCP server, becomes a capability. The preview
        shows what will change before anything is written.
      </p>
      <ImportWizard
        initial={{ ...(id && { id }), ...(from && { kind: from }), ...(url && { url }) }}
      />
    </>
  );
}
