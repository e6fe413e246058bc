import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../api/client.ts";
import { curlFor } from "../api/curl.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { EmptyState, ErrorPanel, Loading } from "../ui/panels.tsx";
import { teamsQuery, useDeleteTeam } from "./queries.ts";
import { TeamDialog } from "./team-dialog.tsx";

type ListedTeam = Schemas["ListedTeam"];

const CREATE_COMMAND = curlFor("PUT", "/agents/teams/night-shift", {
  name: "Night shift",
  agents: [],
});

export function TeamList() {
  const [chosen, setChosen] = useState<{
    readonly team: ListedTeam;
    readonly to: "edit" | "delete";
  }>();
  const query = useQuery(teamsQuery);
  const close = (): void => setChosen(undefined);
  if (query.isPending) return <Loading what="the teams" />;
  if (query.data === undefined)
    return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  const { teams, total } = query.data;
  if (teams.length === 0) {
    return (
      <EmptyState title="No teams yet" command={CREATE_COMMAND}>
        A task that is assigned to a team goes to one of its agents.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="border-border bg-surface divide-border divide-y rounded-lg border">
        {teams.map((team) => (
          <li key={team.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
            <div className="min-w-0 flex-1 basis-60">
              <p className="font-medium break-words">
                <bdi>{team.name}</bdi>
              </p>
              <p className="text-muted text-sm">
                <code>{team.id}</code>,{" "}
                <Link to="/agents" search={{ teamId: team.id }} className="text-accent underline">
                  {team.totalAgents === 1 ? "1 agent" : `${team.totalAgents} agents`}
                </Link>
              </p>
            </div>
            <div className="flex gap-2">
              <Button
                aria-label={`Edit ${team.name}`}
                onClick={() => setChosen({ team, to: "edit" })}
              >
                Edit
              </Button>
              <Button
                kind="danger"
                aria-label={`Delete ${team.name}`}
                onClick={() => setChosen({ team, to: "delete" })}
              >
                Delete
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {total > teams.length && (
        <p className="text-muted p-2">
          The first {teams.length} of {total} teams
        </p>
      )}
      {chosen?.to === "edit" && <TeamDialog team={chosen.team} onClose={close} />}
      {chosen?.to === "delete" && <DeleteTeamDialog team={chosen.team} onClose={close} />}
    </>
  );
}

function DeleteTeamDialog({
  team,
  onClose,
}: {
  readonly team: ListedTeam;
  readonly onClose: () => void;
}) {
  const remove = useDeleteTeam(team.id);
  return (
    <ConfirmDialog
      title="Delete the team?"
      confirm="Delete"
      mutation={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        This deletes the team <bdi className="font-medium">{team.name}</bdi> and revokes the keys
        bound to it. Its agents and tasks remain. The id <code>{team.id}</code> cannot be used
        again.
      </p>
    </ConfirmDialog>
  );
}
