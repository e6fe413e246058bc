import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { readCondition } from "./condition-form.ts";
import type { PolicyDraft } from "./policy-form.ts";
import { useSimulation } from "./queries.ts";
import {
  describeSimulation,
  periodOf,
  PERIODS,
  simulatedPolicy,
  type Simulation,
} from "./simulation.ts";

/** Tries out the policy that is being edited on the recorded calls of a period. `onInvalid`: shows what is typed wrongly. */
export function PolicyTest({
  draft,
  onInvalid,
}: {
  readonly draft: PolicyDraft;
  readonly onInvalid: () => void;
}) {
  const [hours, setHours] = useState<number>(24);
  const simulation = useSimulation();
  const read = readCondition(draft.condition);
  const policy = simulatedPolicy(draft, read.ok ? read.when : null);
  const { data } = simulation;
  // A result belongs to the policy and the period that were tried out.
  const isCurrent =
    JSON.stringify([policy, hours]) ===
    JSON.stringify([simulation.variables?.body.policy, simulation.variables?.hours]);

  function run(): void {
    if (!read.ok) return onInvalid();
    const body = { policy, ...periodOf(hours, Date.now()) };
    simulation.mutate({ body, hours, before: null });
  }
  function goOn(before: Simulation): void {
    const { variables } = simulation;
    if (variables !== undefined) simulation.mutate({ ...variables, before });
  }

  return (
    <fieldset className="border-border grid min-w-0 gap-3 rounded-md border p-3">
      <legend className="px-1 font-medium">Test</legend>
      <p className="text-muted text-sm">
        Shows the calls that this policy would have denied or sent for approval. It examines the
        calls of tasks that were created in the period; calls without a task are not recorded.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 grow">
          <SelectField
            label="Period"
            value={hours}
            onChange={({ target }) => setHours(Number(target.value))}
          >
            {PERIODS.map((period) => (
              <option key={period.hours} value={period.hours}>
                {period.label}
              </option>
            ))}
          </SelectField>
        </div>
        <Button disabled={simulation.isPending} onClick={run}>
          {simulation.isPending ? "Testing …" : "Run the test"}
        </Button>
      </div>
      {isCurrent && simulation.error && <ErrorPanel error={simulation.error} />}
      {isCurrent && data !== undefined && <Result result={data} onMore={() => goOn(data)} />}
    </fieldset>
  );
}

function Result({ result, onMore }: { readonly result: Simulation; readonly onMore: () => void }) {
  return (
    <>
      <div role="status" className="grid gap-1">
        {describeSimulation(result).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      {result.calls.length > 0 && (
        <div
          role="region"
          aria-label="Calls that the policy would have changed"
          // A region that scrolls must be reachable with the keyboard.
          tabIndex={0}
          className="border-border max-h-80 overflow-auto rounded-md border"
        >
          <table className="w-full text-left text-sm">
            <thead>
              <tr className="border-border bg-sunken border-b">
                <th scope="col" className="p-2 font-medium">
                  Call
                </th>
                <th scope="col" className="p-2 font-medium">
                  Time
                </th>
                <th scope="col" className="p-2 font-medium">
                  Result
                </th>
              </tr>
            </thead>
            <tbody className="divide-border divide-y">
              {result.calls.map((call) => (
                <tr key={call.callId} className="align-top">
                  <td className="p-2">
                    <Link
                      to="/tasks/$taskId"
                      params={{ taskId: call.taskId }}
                      target="_blank"
                      className="text-accent break-all underline"
                    >
                      {call.toolId}/{call.capability}
                    </Link>
                    {call.agentId !== undefined && (
                      <p className="text-muted break-all">{call.agentId}</p>
                    )}
                    {call.error !== undefined && (
                      <p className="text-danger break-words">{call.error}</p>
                    )}
                  </td>
                  <td className="p-2">
                    <Time at={call.at} />
                  </td>
                  <td className="p-2">
                    <Badge tone={call.effect === "deny" ? "danger" : "warning"}>
                      {call.effect === "deny" ? "Denied" : "Approval"}
                    </Badge>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {result.nextCursor !== null && (
        <div>
          <Button onClick={onMore}>Examine older tasks</Button>
        </div>
      )}
    </>
  );
}
