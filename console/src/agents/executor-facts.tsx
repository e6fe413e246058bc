import type { Schemas } from "../api/client.ts";
import { formatCost } from "../tasks/cost.ts";
import { Fact } from "../ui/facts.tsx";
import { PROVIDER_LABELS } from "./executor-form.ts";

/** How the agent works, without its secrets. */
export function ExecutorFacts({ executor }: { readonly executor: Schemas["Executor"] }) {
  switch (executor.type) {
    case "builtin":
      return <Fact name="Executor">The service itself, without a model</Fact>;
    case "worker":
      return (
        <>
          <Fact name="Executor">Your own processes, which claim tasks</Fact>
          <PriceFact price={executor.price} />
        </>
      );
    case "a2a":
      return (
        <>
          <Fact name="Agent card">
            <span className="break-all">{executor.cardUrl}</span>
          </Fact>
          <Fact name="API key">{executor.hasApiKey ? "Stored" : "None"}</Fact>
          <PriceFact price={executor.price} />
        </>
      );
    case "model":
      return <ModelFacts executor={executor} />;
  }
}

function PriceFact({ price }: { readonly price: Schemas["AgentPrice"] | undefined }) {
  if (price === undefined) return null;
  return (
    <Fact name="Price">
      {formatCost(price.perTask)} per task, {formatCost(price.perMinute)} per minute
    </Fact>
  );
}

function ModelFacts({ executor }: { readonly executor: Schemas["ModelExecutor"] }) {
  const { prices } = executor;
  return (
    <>
      <Fact name="Model">
        {executor.model} ({PROVIDER_LABELS[executor.provider]})
      </Fact>
      {executor.baseUrl !== undefined && (
        <Fact name="Base URL">
          <span className="break-all">{executor.baseUrl}</span>
        </Fact>
      )}
      <Fact name="API key">{executor.hasApiKey ? "Stored" : "None"}</Fact>
      {executor.headerNames !== undefined && (
        <Fact name="Extra headers">{executor.headerNames.join(", ")}</Fact>
      )}
      <Fact name="Prices">
        {formatCost(prices.inputPerMillion)} per million input tokens,{" "}
        {formatCost(prices.outputPerMillion)} per million output tokens
      </Fact>
      <Fact name="Limits">
        At most {executor.maxTurns} turns per attempt, {executor.maxOutputTokens} output tokens per
        turn
        {executor.temperature !== undefined && `, temperature ${executor.temperature}`}
      </Fact>
      {executor.instructions !== undefined && (
        <Fact name="Instructions">
          <span className="whitespace-pre-wrap">{executor.instructions}</span>
        </Fact>
      )}
    </>
  );
}
