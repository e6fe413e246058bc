import { useQueries, useQuery } from "@tanstack/react-query";
import type { ChangeEvent, ReactNode } from "react";
import { useHasScope } from "../session/identity.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { agentChoices, whyAgentWaits, type ChoosableAgent } from "./agent-choices.ts";
import { agentChoicesQuery, agentQuery } from "./queries.ts";

/** The maximum number of agents to read because the list shows them as offline. */
const CHECKED_MAX = 20;

/**
 * The agents to choose from. In the API's list, `online` ignores claims with keys that are not bound to the agent, so the
 * agents that the list shows as offline are read one by one, the chosen one first.
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
 * A field for the agent of a task. It lists the agents by name. If the key may not list agents, the person enters the id.
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
  /** The initial agent. */
  readonly current: { readonly id: string; readonly name?: string | undefined };
  /** The effect of choosing no agent; absent if an agent must be chosen. */
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
