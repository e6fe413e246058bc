import { problemAt } from "../api/problems.ts";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import {
  PROVIDER_LABELS,
  PROVIDERS,
  type ExecutorDraft,
  type SecretAction,
} from "./executor-form.ts";
import { EXECUTOR_TYPES, type ExecutorType } from "./filters.ts";

const TYPE_OPTIONS: Readonly<Record<ExecutorType, string>> = {
  builtin: "Built-in: the service itself, without a model",
  worker: "Worker: your own processes, which claim tasks",
  model: "Model: a language model",
  a2a: "A2A: a remote A2A 1.0 agent",
};

interface FieldsProps {
  readonly draft: ExecutorDraft;
  /** The executor before the change; null for a new agent. */
  readonly stored: ExecutorDraft | null;
  readonly error: Error | null;
  readonly onChange: (part: Partial<ExecutorDraft>) => void;
}

export function ExecutorFields(props: FieldsProps) {
  const { draft, error, onChange } = props;
  return (
    <fieldset className="border-border grid gap-4 rounded-md border p-3">
      <legend className="px-1 font-medium">Executor</legend>
      <SelectField
        label="Type"
        value={draft.type}
        error={problemAt(error, "executor.type")}
        onChange={({ target }) =>
          onChange({ type: EXECUTOR_TYPES.find((type) => type === target.value) ?? "builtin" })
        }
      >
        {EXECUTOR_TYPES.map((type) => (
          <option key={type} value={type}>
            {TYPE_OPTIONS[type]}
          </option>
        ))}
      </SelectField>
      {draft.type === "worker" && (
        <p className="text-muted text-sm">
          A worker needs a key with the scope <code>tasks:work</code>, and claims tasks with{" "}
          <code>POST /agents/tasks/claim</code>.
        </p>
      )}
      {draft.type === "a2a" && <A2aFields {...props} />}
      {(draft.type === "a2a" || draft.type === "worker") && <PriceFields {...props} />}
      {draft.type === "model" && <ModelFields {...props} />}
    </fieldset>
  );
}

function A2aFields({ draft, stored, error, onChange }: FieldsProps) {
  return (
    <>
      <TextField
        label="URL of the agent card"
        type="url"
        required
        hint="The card is fetched when you save. It supplies the name, description and skills that you leave empty."
        placeholder="https://agent.example.com/.well-known/agent-card.json"
        value={draft.cardUrl}
        error={problemAt(error, "executor.cardUrl")}
        onChange={(event) => onChange({ cardUrl: event.target.value })}
      />
      <ApiKeyField {...{ draft, stored, error, onChange }} />
      {draft.keyAction === "replace" && (
        <TextField
          label="Header for the API key"
          placeholder="Authorization: Bearer"
          value={draft.apiKeyHeader}
          error={problemAt(error, "executor.apiKeyHeader")}
          onChange={(event) => onChange({ apiKeyHeader: event.target.value })}
        />
      )}
    </>
  );
}

function PriceFields({ draft, error, onChange }: FieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Price per task (US dollars)"
        type="number"
        min={0}
        step="any"
        placeholder="0"
        value={draft.taskPrice}
        error={problemAt(error, "executor.price.perTask")}
        onChange={(event) => onChange({ taskPrice: event.target.value })}
      />
      <TextField
        label="Price per minute (US dollars)"
        type="number"
        min={0}
        step="any"
        placeholder="0"
        value={draft.minutePrice}
        error={problemAt(error, "executor.price.perMinute")}
        onChange={(event) => onChange({ minutePrice: event.target.value })}
      />
    </div>
  );
}

function ModelFields({ draft, stored, error, onChange }: FieldsProps) {
  const numberField = (
    name: "temperature" | "inputPrice" | "outputPrice" | "maxTurns" | "maxOutputTokens",
    label: string,
    path: string,
  ) => (
    <TextField
      label={label}
      type="number"
      min={0}
      step="any"
      placeholder="Default"
      value={draft[name]}
      error={problemAt(error, `executor.${path}`)}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
  return (
    <>
      <SelectField
        label="Provider"
        value={draft.provider}
        error={problemAt(error, "executor.provider")}
        onChange={({ target }) =>
          onChange({
            provider: PROVIDERS.find((one) => one === target.value) ?? "openai-compatible",
          })
        }
      >
        {PROVIDERS.map((provider) => (
          <option key={provider} value={provider}>
            {PROVIDER_LABELS[provider]}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Model"
        required
        value={draft.model}
        error={problemAt(error, "executor.model")}
        onChange={(event) => onChange({ model: event.target.value })}
      />
      {draft.provider !== "workers-ai" && (
        <>
          <TextField
            label="Base URL"
            type="url"
            placeholder="https://api.openai.com/v1"
            hint="Leave empty to use the public Anthropic or Google endpoint."
            value={draft.baseUrl}
            error={problemAt(error, "executor.baseUrl")}
            onChange={(event) => onChange({ baseUrl: event.target.value })}
          />
          <ApiKeyField {...{ draft, stored, error, onChange }} />
          {stored?.headersAction === "keep" && (
            <SecretActionField
              label="Extra headers"
              action={draft.headersAction}
              onChange={(headersAction) => onChange({ headersAction })}
            />
          )}
          {draft.headersAction === "replace" && (
            <TextArea
              label="New extra headers"
              hint="One per line, such as “X-Team: blue”. Values are encrypted and never shown."
              className="font-mono"
              spellCheck={false}
              value={draft.headers}
              error={problemAt(error, "executor.headers")}
              onChange={(event) => onChange({ headers: event.target.value })}
            />
          )}
        </>
      )}
      <TextArea
        label="Instructions"
        hint="Added to the system prompt of each task."
        value={draft.instructions}
        error={problemAt(error, "executor.instructions")}
        onChange={(event) => onChange({ instructions: event.target.value })}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        {numberField("temperature", "Temperature", "temperature")}
        {numberField("maxTurns", "Maximum turns per attempt", "maxTurns")}
        {numberField(
          "inputPrice",
          "Price per million input tokens (US dollars)",
          "prices.inputPerMillion",
        )}
        {numberField(
          "outputPrice",
          "Price per million output tokens (US dollars)",
          "prices.outputPerMillion",
        )}
        {numberField("maxOutputTokens", "Maximum output tokens per turn", "maxOutputTokens")}
      </div>
    </>
  );
}

function ApiKeyField({ draft, stored, error, onChange }: FieldsProps) {
  return (
    <>
      {stored?.keyAction === "keep" && (
        <SecretActionField
          label="API key"
          action={draft.keyAction}
          onChange={(keyAction) => onChange({ keyAction })}
        />
      )}
      {draft.keyAction === "replace" && (
        <TextField
          label="New API key"
          type="password"
          autoComplete="off"
          hint="Sent with each request. It is encrypted and never shown."
          value={draft.apiKey}
          error={problemAt(error, "executor.apiKey")}
          onChange={(event) => onChange({ apiKey: event.target.value })}
        />
      )}
    </>
  );
}

function SecretActionField({
  label,
  action,
  onChange,
}: {
  readonly label: string;
  readonly action: SecretAction;
  readonly onChange: (action: SecretAction) => void;
}) {
  return (
    <SelectField
      label={label}
      hint="A stored value is not sent to another origin. Replace it if the origin changes."
      value={action}
      onChange={({ target: { value } }) =>
        onChange(value === "replace" || value === "delete" ? value : "keep")
      }
    >
      <option value="keep">Keep the stored value</option>
      <option value="replace">Replace</option>
      <option value="delete">Delete</option>
    </SelectField>
  );
}
