import { useQueries, useQuery } from "@tanstack/react-query";
import type { ChangeEvent, ReactNode } from "react";
import { useHasScope } from "../session/identity.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { agentChoices, whyAgentWaits, type ChoosableAgent } from "./agent-choices.ts";
import { agentChoicesQuery, agentQuery } from "./queries.ts";

/** How many agents that seem to be offline are checked. */
const CHECKED_MAX = 20;

/**
 * The agents to choose from. The list of the API does not count claims with other keys than the agents' own, so agents
 * without a worker according to the list are read one by one, beginning with the chosen one.
 */
function useAgentsToChoose(chosen: string, mayList: boolean): readonly ChoosableAgent[] {
  const { data: listed = [] } = useQuery({ ...agentChoicesQuery, enabled: mayList });
  const offline = listed.filter(({ online }) => online === false);
  const isChosen = ({ id }: ChoosableAgent): number => Number(id === chosen);
  const checked = offline
    .toSorted((one, other) => isChosen(other) - isChosen(one))
    .slice(0, CHECKED_MAX);
  const answers = useQueries({ queries: checked.map(({ id }) => agentQuery(id)) });
  const details = new Map(answers.flatMap(({ data }) => (data ? [[data.id, data]] : [])));
  return listed.map((agent) => details.get(agent.id) ?? agent);
}

/**
 * A field for the agent of a task. It lists the agents by name. A key that may not list them types the id.
 */
export function AgentSelect({
  value,
  current,
  none,
  hint,
  ...field
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** The agent that the field showed first. */
  readonly current: { readonly id: string; readonly name?: string | undefined };
  /** What it means to choose no agent; absent if an agent must be chosen. */
  readonly none?: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => void;
}) {
  const mayList = useHasScope("agents:manage");
  const agents = useAgentsToChoose(value, mayList);
  if (!mayList)
    return (
      <TextField
        autoComplete="off"
        spellCheck={false}
        hint={
          <>
            The agent's id.{none !== undefined && ` If empty: ${none}.`} {hint}
          </>
        }
        value={value}
        {...field}
      />
    );
  const why = whyAgentWaits(agents.find(({ id }) => id === value));
  return (
    <SelectField
      hint={
        why === null ? (
          hint
        ) : (
          <>
            <span className="text-warning">{why}</span> {hint}
          </>
        )
      }
      value={value}
      {...field}
    >
      {(none !== undefined || current.id === "") && (
        <option value="">{none ?? "No agent yet"}</option>
      )}
      {agentChoices(agents, current).map(({ id, label, isImpossible }) => (
        <option key={id} value={id} disabled={isImpossible}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}
