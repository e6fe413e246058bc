import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useId, useState, type SubmitEvent } from "react";
import { agentsQuery } from "../agents/queries.ts";
import { api, ApiError, dataOf, type Schemas } from "../api/client.ts";
import { useIdempotencyKeys } from "../api/idempotency-key.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { forgetError } from "../ui/forget-error.ts";
import { Card, ErrorPanel, Loading } from "../ui/panels.tsx";
import { ParameterFields } from "./parameter-fields.tsx";
import {
  fieldsOf,
  parametersOf,
  problemsByField,
  valuesOf,
  type FormField,
  type FormValues,
} from "./parameter-form.ts";
import { capabilityQuery, type Capability, type Tool } from "./queries.ts";
import { CallResult, type Call } from "./call-result.tsx";

/** Calls a capability with the parameters of a form. */
export function TryPanel({ tool }: { readonly tool: Tool }) {
  const search = useSearch({ from: "/shell/tools/$toolId" });
  const navigate = useNavigate({ from: "/tools/$toolId" });
  const chosenId = search.capability ?? tool.capabilities[0]?.id;
  const listed = tool.capabilities.find(({ id }) => id === chosenId);
  const fetched = useQuery({
    ...capabilityQuery(tool.id, chosenId ?? ""),
    enabled: chosenId !== undefined && listed === undefined,
  });
  const capability = listed ?? fetched.data;
  const options =
    listed === undefined && capability !== undefined
      ? [capability, ...tool.capabilities]
      : tool.capabilities;
  if (chosenId === undefined) return <p>This tool has no capabilities.</p>;
  return (
    <div className="grid gap-4">
      <div className="max-w-xl">
        <SelectField
          label="Capability"
          value={chosenId}
          hint={
            tool.totalCapabilities > tool.capabilities.length
              ? "To try another capability, search for it under Capabilities."
              : undefined
          }
          onChange={({ target }) =>
            void navigate({ search: { tab: "try", capability: target.value }, replace: true })
          }
        >
          {options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name === id ? id : `${name} (${id})`}
            </option>
          ))}
        </SelectField>
      </div>
      {fetched.isLoading && <Loading what="the capability" />}
      {fetched.error && <ErrorPanel error={fetched.error} retry={() => void fetched.refetch()} />}
      {capability && <TryForm key={capability.id} tool={tool} capability={capability} />}
    </div>
  );
}

function TryForm({ tool, capability }: { readonly tool: Tool; readonly capability: Capability }) {
  const fields = fieldsOf(capability.parameters);
  const [agentId, setAgentId] = useState("");
  const [values, setValues] = useState<FormValues>({});
  /** The parameters as JSON; null while the form is shown. */
  const [json, setJson] = useState<string | null>(null);
  const [isChecked, setIsChecked] = useState(false);
  const [note, setNote] = useState("");
  const call = useCall(tool.id);
  const read = json === null ? parametersOf(fields, values) : parseParameters(json);
  const apiProblems =
    call.error instanceof ApiError
      ? problemsByField(fields, call.error.problems)
      : new Map<string, string>();
  const problems = isChecked ? new Map([...apiProblems, ...read.problems]) : apiProblems;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    setIsChecked(true);
    if (read.problems.size > 0) return;
    const { parameters } = read;
    const body = { capability: capability.id, parameters };
    call.mutate(agentId.trim() === "" ? body : { ...body, agentId: agentId.trim() });
  }

  function switchTo(next: "form" | "json"): void {
    setNote("");
    if (next === "json") {
      setJson((text) => text ?? JSON.stringify(parametersOf(fields, values).parameters, null, 2));
      return;
    }
    const shown = json === null ? values : expressible(fields, json);
    if (shown === null) {
      setNote(
        "The form cannot represent this JSON. Edit the JSON, or call the tool with it unchanged.",
      );
      return;
    }
    setValues(shown);
    setJson(null);
  }

  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Card title="Parameters" actions={<Modes isJson={json !== null} onSwitch={switchTo} />}>
        <form onSubmit={submit} onInput={forgetError(call)} noValidate className="grid gap-4">
          {note !== "" && (
            <p role="status" className="text-warning">
              {note}
            </p>
          )}
          {json === null ? (
            <ParameterFields
              fields={fields}
              values={values}
              problems={problems}
              onChange={(name, typed) => setValues({ ...values, [name]: typed })}
            />
          ) : (
            <TextArea
              label="Parameters as JSON"
              rows={8}
              spellCheck={false}
              className="field-sizing-content max-h-96 font-mono"
              value={json}
              error={isChecked ? read.problems.get("") : undefined}
              onChange={({ target }) => setJson(target.value)}
            />
          )}
          {json === null && fields.length === 0 && (
            <p className="text-muted">This capability has no parameters.</p>
          )}
          <CallerField tool={tool} agentId={agentId} onChange={setAgentId} />
          <div>
            <Button kind="primary" type="submit" disabled={call.isPending}>
              <Play aria-hidden className="size-4" />
              {call.isPending ? "Calling …" : "Call the tool"}
            </Button>
          </div>
        </form>
      </Card>
      <Card title="Result">
        {call.isIdle && <p className="text-muted">Call the tool to see its result.</p>}
        {call.isPending && <Loading what="the result" />}
        {call.error && <ErrorPanel error={call.error} />}
        {call.data && <CallResult call={call.data} />}
      </Card>
    </div>
  );
}

/** Sends a call, and then fetches the tool's usage again. */
function useCall(toolId: string) {
  const queryClient = useQueryClient();
  const { keyFor, forget } = useIdempotencyKeys();
  return useMutation({
    mutationFn: async (body: Schemas["InvokeToolBody"]): Promise<Call> => {
      let requestId: string | null = null;
      const params = { path: { id: toolId }, header: { "Idempotency-Key": keyFor(body) } };
      const request = api.POST("/agents/tools/{id}/invoke", { params, body }).then((answer) => {
        // The next call is another one, even with the same parameters.
        forget();
        requestId = answer.response.headers.get("X-Request-Id");
        return answer;
      });
      const invocation = await dataOf<Call["invocation"]>(request);
      return { invocation, requestId };
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["tool", toolId, "usage"] }),
  });
}

function Modes({
  isJson,
  onSwitch,
}: {
  readonly isJson: boolean;
  readonly onSwitch: (next: "form" | "json") => void;
}) {
  return (
    <div role="group" aria-label="Show the parameters as" className="flex gap-1">
      {(["form", "json"] as const).map((mode) => (
        <Button
          key={mode}
          kind="quiet"
          aria-pressed={isJson === (mode === "json")}
          className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
          onClick={() => onSwitch(mode)}
        >
          {mode === "form" ? "Form" : "JSON"}
        </Button>
      ))}
    </div>
  );
}

function CallerField({
  tool,
  agentId,
  onChange,
}: {
  readonly tool: Tool;
  readonly agentId: string;
  readonly onChange: (agentId: string) => void;
}) {
  const listId = useId();
  const { data } = useQuery(agentsQuery);
  const granted = new Set(tool.agents.map((agent) => agent.agentId));
  const ids = new Set([...granted, ...(data?.agents.map(({ id }) => id) ?? [])]);
  return (
    <>
      <TextField
        label="Call as agent"
        list={listId}
        value={agentId}
        placeholder="Leave empty to use your key"
        autoComplete="off"
        spellCheck={false}
        hint="With an agent's id, the call has that agent's access. Calls count towards the rate limit and can cost money."
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={listId}>
        {[...ids].map((id) => (
          <option key={id} value={id}>
            {granted.has(id) ? "has access" : "has no access"}
          </option>
        ))}
      </datalist>
    </>
  );
}

function parseParameters(json: string): {
  readonly parameters: Record<string, unknown>;
  readonly problems: ReadonlyMap<string, string>;
} {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { parameters: { ...value }, problems: new Map() };
    }
  } catch {
    // The problem is the same.
  }
  return { parameters: {}, problems: new Map([["", 'Enter a JSON object: {"name": "value"}.']]) };
}

function expressible(fields: readonly FormField[], json: string): FormValues | null {
  const { parameters, problems } = parseParameters(json);
  return problems.size > 0 ? null : valuesOf(fields, parameters);
}
