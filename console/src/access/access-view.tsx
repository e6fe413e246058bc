import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ViewHeader } from "../ui/panels.tsx";
import { SearchField } from "../tools/search-field.tsx";
import { AccessMatrix } from "./access-matrix.tsx";
import { readAccessState, type AccessState } from "./filters.ts";
import { WhyPanel } from "./why-panel.tsx";

const VIEWS = [
  { view: undefined, label: "Grants" },
  { view: "why", label: "Explain access" },
] as const;

/** Which agents may use which capabilities of which tools. */
export function AccessView() {
  const state = useSearch({ from: "/shell/access" });
  const navigate = useNavigate({ from: "/access" });

  function change(part: { readonly [Name in keyof AccessState]?: AccessState[Name] | undefined }) {
    void navigate({ search: (current) => readAccessState({ ...current, ...part }), replace: true });
  }

  return (
    <>
      <ViewHeader title="Access" />
      <nav aria-label="Sections of access" className="border-border mb-4 flex flex-wrap border-b">
        {VIEWS.map(({ view, label }) => (
          <Link
            key={label}
            to="/access"
            search={view === undefined ? {} : { view }}
            activeOptions={{ exact: true }}
            aria-current={state.view === view ? "page" : undefined}
            className="text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-accent border-b-2 border-transparent px-3 py-2 font-medium"
          >
            {label}
          </Link>
        ))}
      </nav>
      {state.view === "why" ? (
        <WhyPanel state={state} onChange={change} />
      ) : (
        <div className="grid gap-4">
          <search className="grid gap-3 sm:grid-cols-2">
            <SearchField
              label="Agents"
              placeholder="Any agent"
              value={state.agents ?? ""}
              onChange={(text) => change({ agents: text === "" ? undefined : text })}
            />
            <SearchField
              label="Tools"
              placeholder="Any tool"
              value={state.tools ?? ""}
              onChange={(text) => change({ tools: text === "" ? undefined : text })}
            />
          </search>
          <AccessMatrix
            agentSearch={state.agents ?? ""}
            toolSearch={state.tools ?? ""}
            opened={
              state.agentId !== undefined && state.toolId !== undefined
                ? { agentId: state.agentId, toolId: state.toolId }
                : null
            }
            onOpen={(opened) => change({ agentId: opened?.agentId, toolId: opened?.toolId })}
          />
        </div>
      )}
    </>
  );
}
