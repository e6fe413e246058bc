import { useQuery } from "@tanstack/react-query";
import { useId, type ComponentProps } from "react";
import { useHasScope } from "../session/identity.ts";
import { TextField } from "../ui/field.tsx";
import { agentsQuery, teamsQuery } from "./queries.ts";

type FieldProps = Omit<ComponentProps<typeof TextField>, "list">;

/** A field for an agent's id that suggests the agents, if the key may list them. */
export function AgentIdField(props: FieldProps) {
  const { data } = useQuery({ ...agentsQuery, enabled: useHasScope("agents:manage") });
  return <SuggestingField {...props} options={data?.agents ?? []} />;
}

/** A field for a team's id that suggests the teams, if the key may list them. */
export function TeamIdField(props: FieldProps) {
  const { data } = useQuery({ ...teamsQuery, enabled: useHasScope("agents:manage") });
  return <SuggestingField {...props} options={data?.teams ?? []} />;
}

function SuggestingField({
  options,
  ...props
}: FieldProps & { readonly options: readonly { readonly id: string; readonly name: string }[] }) {
  const listId = useId();
  return (
    <>
      <TextField autoComplete="off" spellCheck={false} {...props} list={listId} />
      <datalist id={listId}>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
