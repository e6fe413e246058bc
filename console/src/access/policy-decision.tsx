import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, dataOf, type Schemas } from "../api/client.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { ErrorPanel, Loading } from "../ui/panels.tsx";
import type { Question } from "./explain-access.ts";

type Decision = Schemas["PolicyExplanation"]["decision"];

const LABELS: Readonly<Record<Decision, string>> = {
  allowed: "Allowed by the policies",
  denied: "Denied by a policy",
  requires_approval: "Requires approval",
  depends_on_parameters: "Depends on the parameters",
};
const TONES: Readonly<Record<Decision, Tone>> = {
  allowed: "success",
  denied: "danger",
  requires_approval: "warning",
  depends_on_parameters: "warning",
};

/** What the policies say about a call that the grant allows. */
export function PolicyDecision({ question }: { readonly question: Question }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["policies", "explain", question],
    queryFn: () =>
      dataOf(api.GET("/agents/policies/explain", { params: { query: { ...question } } })),
    staleTime: 0,
  });
  if (isPending) return <Loading what="the policies" />;
  if (data === undefined) return <ErrorPanel error={error} retry={() => void refetch()} />;
  return (
    <div className="mb-3 grid gap-1">
      <p>
        <Badge tone={TONES[data.decision]}>{LABELS[data.decision]}</Badge>
      </p>
      {data.policies.length > 0 && (
        <ul aria-label="Policies that cover the call" className="grid gap-1">
          {data.policies.map(({ id, name, reason }) => (
            <li key={id} className="break-words">
              <Link to="/policies" search={{ policy: id }} className="text-accent underline">
                <bdi>{name}</bdi>
              </Link>
              : <bdi>{reason}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
