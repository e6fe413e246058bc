import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useShortcuts } from "../layout/shortcuts.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ViewHeader } from "../ui/panels.tsx";
import { useToast } from "../ui/toast.tsx";
import { NewAgentDialog } from "./agent-dialog.tsx";
import { PauseAllButtons } from "./agent-pause.tsx";
import { AgentList } from "./agent-list.tsx";
import { EXECUTOR_LABELS, EXECUTOR_TYPES, readAgentFilters, type AgentFilters } from "./filters.ts";
import { TeamDialog } from "./team-dialog.tsx";
import { TeamList } from "./team-list.tsx";

const TAB = buttonClass(
  "quiet",
  "aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent",
);
const FIELD = "border-border-strong bg-surface min-h-8 min-w-0 rounded-md border px-2";

export function AgentsView() {
  const filters = useSearch({ from: "/shell/agents" });
  const navigate = useNavigate();
  const [creating, setCreating] = useState<"agent" | "team" | null>(null);
  const isTeams = filters.show === "teams";
  const what = isTeams ? "Create a team" : "Register an agent";
  const create = (): void => setCreating(isTeams ? "team" : "agent");
  const close = (): void => setCreating(null);
  const { show, toast } = useToast();
  useShortcuts([{ keys: "n", label: what, run: create }]);
  return (
    <>
      <ViewHeader title="Agents and teams">
        {!isTeams && <PauseAllButtons onDone={show} />}
        <Button kind="primary" onClick={create}>
          <Plus aria-hidden className="size-4" />
          {what}
        </Button>
      </ViewHeader>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <nav aria-label="Agents and teams" className="flex gap-1">
          <Link
            to="/agents"
            search={{}}
            activeOptions={{ exact: true, includeSearch: true }}
            className={TAB}
            aria-current={isTeams ? undefined : "page"}
          >
            Agents
          </Link>
          <Link to="/agents" search={{ show: "teams" }} className={TAB}>
            Teams
          </Link>
        </nav>
        {!isTeams && <AgentFilterBar filters={filters} />}
      </div>
      {isTeams ? <TeamList /> : <AgentList filters={filters} />}
      {toast}
      {creating === "agent" && !isTeams && (
        <NewAgentDialog
          onCreated={(agentId) => void navigate({ to: "/agents/$agentId", params: { agentId } })}
          onClose={close}
        />
      )}
      {creating === "team" && isTeams && <TeamDialog team={null} onClose={close} />}
    </>
  );
}

function AgentFilterBar({ filters }: { readonly filters: AgentFilters }) {
  const navigate = useNavigate();
  function change(name: keyof AgentFilters, value: string): void {
    void navigate({ to: "/agents", search: readAgentFilters({ ...filters, [name]: value }) });
  }
  return (
    <div
      role="search"
      aria-label="Filters"
      className="grid w-full gap-2 sm:flex sm:w-auto sm:flex-wrap sm:items-center"
    >
      <input
        // A new value from the URL replaces what is typed.
        key={filters.search}
        type="search"
        aria-label="Search"
        placeholder="Name, id, description"
        defaultValue={filters.search}
        className={FIELD}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
        onBlur={({ target }) => {
          if (target.value.trim() !== (filters.search ?? "")) change("search", target.value);
        }}
      />
      <select
        aria-label="Executor"
        className={FIELD}
        value={filters.executor ?? ""}
        onChange={({ target }) => change("executor", target.value)}
      >
        <option value="">Any executor</option>
        {EXECUTOR_TYPES.map((type) => (
          <option key={type} value={type}>
            {EXECUTOR_LABELS[type]}
          </option>
        ))}
      </select>
      <select
        aria-label="State"
        className={FIELD}
        value={filters.enabled ?? ""}
        onChange={({ target }) => change("enabled", target.value)}
      >
        <option value="">Enabled and disabled</option>
        <option value="true">Enabled</option>
        <option value="false">Disabled</option>
      </select>
      {Object.keys(filters).length > 0 && (
        <Button kind="quiet" onClick={() => void navigate({ to: "/agents", search: {} })}>
          <X aria-hidden className="size-4" />
          {filters.teamId === undefined
            ? "Clear the filters"
            : `Clear the filter: team ${filters.teamId}`}
        </Button>
      )}
    </div>
  );
}
