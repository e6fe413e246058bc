import { useQuery } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import type { Schemas } from "../api/client.ts";
import { problemAt } from "../api/problems.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Checkbox, TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import { agentsQuery, teamQuery, usePutTeam } from "./queries.ts";

/** Creates a team, or changes its name and members. */
export function TeamDialog({
  team,
  onClose,
}: {
  readonly team: Pick<Schemas["ListedTeam"], "id"> | null;
  readonly onClose: () => void;
}) {
  const title = team === null ? "Create a team" : "Edit the team";
  return (
    <Dialog title={title} onClose={onClose}>
      {team === null ? (
        <TeamForm team={null} onClose={onClose} />
      ) : (
        <StoredTeam teamId={team.id} onClose={onClose} />
      )}
    </Dialog>
  );
}

function StoredTeam({
  teamId,
  onClose,
}: {
  readonly teamId: string;
  readonly onClose: () => void;
}) {
  // The form replaces all members, so it must not start from an outdated list.
  const query = useQuery({ ...teamQuery(teamId), staleTime: 0, refetchOnMount: "always" });
  if (query.isFetching && !query.isFetchedAfterMount) return <Loading what="the team" />;
  if (query.data === undefined)
    return query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  return <TeamForm team={query.data} onClose={onClose} />;
}

function TeamForm({
  team,
  onClose,
}: {
  readonly team: Schemas["Team"] | null;
  readonly onClose: () => void;
}) {
  const [id, setId] = useState(team?.id ?? "");
  const [name, setName] = useState(team?.name ?? "");
  const [members, setMembers] = useState<readonly string[]>(team?.agents ?? []);
  const put = usePutTeam();
  const { data } = useQuery(agentsQuery);
  // Members that are not loaded are also shown, because the request replaces all members.
  const names = new Map([
    ...(team?.agents ?? []).map((agentId) => [agentId, agentId] as const),
    ...(data?.agents.map((agent) => [agent.id, agent.name] as const) ?? []),
  ]);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const body = { ...(name.trim() !== "" && { name: name.trim() }), agents: [...members] };
    put.mutate({ teamId: id.trim(), body }, { onSuccess: onClose });
  }

  return (
    <form onSubmit={submit} onInput={forgetError(put)} className="grid gap-4">
      {team === null && (
        <TextField
          label="Id"
          hint="It cannot be changed later. An existing team with this id is replaced. The id of a deleted team cannot be used."
          required
          spellCheck={false}
          placeholder="night-shift"
          value={id}
          error={problemAt(put.error, "teamId")}
          onChange={(event) => setId(event.target.value)}
        />
      )}
      <TextField
        label="Name"
        value={name}
        error={problemAt(put.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="grid gap-1 sm:grid-cols-2">
        <legend className="pb-1 font-medium">Members</legend>
        {[...names].map(([agentId, agentName]) => (
          <Checkbox
            key={agentId}
            label={<bdi className="break-words">{agentName}</bdi>}
            checked={members.includes(agentId)}
            onChange={({ target }) =>
              setMembers(
                target.checked
                  ? [...members, agentId]
                  : members.filter((member) => member !== agentId),
              )
            }
          />
        ))}
      </fieldset>
      {data !== undefined && data.total > data.agents.length && (
        <p className="text-muted text-sm">
          Only the first {data.agents.length} agents are offered. To add another one, edit the
          agent.
        </p>
      )}
      {put.error && <ErrorPanel error={put.error} />}
      <ButtonRow>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={put.isPending}>
          {put.isPending ? "Saving …" : team === null ? "Create" : "Save"}
        </Button>
      </ButtonRow>
    </form>
  );
}
