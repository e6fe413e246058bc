import { useSuspenseQuery } from "@tanstack/react-query";
import { useId } from "react";
import { identityQuery, type Scope } from "../session/identity.ts";
import { Checkbox } from "../ui/field.tsx";
import { SCOPE_MEANINGS, SCOPES, whyNotScope } from "./scopes.ts";

export function ScopeFields({
  scopes,
  isBound,
  error,
  onChange,
}: {
  readonly scopes: readonly Scope[];
  readonly isBound: boolean;
  readonly error: string | undefined;
  readonly onChange: (scopes: readonly Scope[]) => void;
}) {
  const { data: identity } = useSuspenseQuery(identityQuery);
  const own = identity?.key.scopes ?? [];
  const errorId = useId();
  return (
    <fieldset
      aria-describedby={error === undefined ? undefined : errorId}
      data-invalid={error !== undefined}
      className="grid gap-2"
    >
      <legend className="mb-1 font-medium">Scopes</legend>
      {SCOPES.map((scope) => {
        const reason = whyNotScope(scope, { own, isBound });
        const isChecked = scopes.includes(scope);
        return (
          <Checkbox
            key={scope}
            label={<code>{scope}</code>}
            hint={reason ?? SCOPE_MEANINGS[scope]}
            // A scope that was chosen before the key was bound can still be removed.
            disabled={reason !== null && !isChecked}
            checked={isChecked}
            onChange={({ target }) =>
              onChange(
                SCOPES.filter((one) => (one === scope ? target.checked : scopes.includes(one))),
              )
            }
          />
        );
      })}
      {error !== undefined && (
        <p id={errorId} className="text-danger text-sm">
          {error}
        </p>
      )}
    </fieldset>
  );
}
