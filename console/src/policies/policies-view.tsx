import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { curlFor } from "../api/curl.ts";
import { useShortcuts } from "../layout/shortcuts.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { PolicyDialog } from "./policy-dialog.tsx";
import {
  draftOfPolicy,
  EFFECT_LABELS,
  policyBody,
  unknownEntries,
  type Effect,
  type Policy,
} from "./policy-form.ts";
import { policiesQuery, useDeletePolicy } from "./queries.ts";

const CREATE_COMMAND = curlFor("POST", "/agents/policies", {
  id: "long-summaries",
  name: "Long summaries",
  effect: "ask",
  tools: ["text-analyst/summarise"],
  when: { "parameters.sentences": { gt: 3 } },
  reason: "An editor looks at long summaries.",
});

/** The rules about which calls are denied or need approval. */
export function PoliciesView() {
  const { policy: openId } = useSearch({ from: "/shell/policies" });
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const [deleted, setDeleted] = useState<Policy | null>(null);
  const query = useQuery(policiesQuery);
  const remove = useDeletePolicy();
  const create = (): void => setIsCreating(true);
  useShortcuts([{ keys: "n", label: "Create a policy", run: create }]);
  const opened = query.data?.find(({ id }) => id === openId);
  return (
    <>
      <ViewHeader title="Policies">
        <Button kind="primary" onClick={create}>
          <Plus aria-hidden className="size-4" />
          Create a policy
        </Button>
      </ViewHeader>
      {query.isPending && <Loading what="the policies" />}
      {query.error && <ErrorPanel error={query.error} retry={() => void query.refetch()} />}
      {query.data?.length === 0 && (
        <EmptyState title="No policies yet" command={CREATE_COMMAND}>
          Without a policy, an agent may make every call that its access allows. A policy denies
          calls, or makes them wait until people approve them.
        </EmptyState>
      )}
      {query.data !== undefined && query.data.length > 0 && (
        <ul
          aria-label="Policies"
          className="border-border bg-surface divide-border divide-y rounded-lg border"
        >
          {query.data.map((policy) => (
            <PolicyItem
              key={policy.id}
              policy={policy}
              onEdit={() => void navigate({ to: "/policies", search: { policy: policy.id } })}
              onDelete={() => {
                remove.reset();
                setDeleted(policy);
              }}
            />
          ))}
        </ul>
      )}
      {isCreating && <PolicyDialog policy={null} onClose={() => setIsCreating(false)} />}
      {opened !== undefined && (
        <PolicyDialog
          key={opened.id}
          policy={opened}
          onClose={() => void navigate({ to: "/policies", search: {} })}
        />
      )}
      {deleted !== null && (
        <ConfirmDialog
          title="Delete the policy?"
          confirm="Delete"
          mutation={remove}
          onConfirm={() => remove.mutate(deleted.id, { onSuccess: () => setDeleted(null) })}
          onClose={() => setDeleted(null)}
        >
          <p>
            <bdi className="font-medium">{deleted.name}</bdi> no longer applies from the next call
            on. Calls that already wait still need approval.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const EFFECT_TONES: Readonly<Record<Effect, Tone>> = {
  deny: "danger",
  ask: "warning",
  allow: "success",
};

function PolicyItem({
  policy,
  onEdit,
  onDelete,
}: {
  readonly policy: Policy;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  const body = policyBody(draftOfPolicy(policy), policy.when);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1 p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 font-medium break-words">
          <bdi>{policy.name}</bdi>
        </h2>
        <Badge tone={EFFECT_TONES[policy.effect]}>{EFFECT_LABELS[policy.effect]}</Badge>
        {!policy.enabled && <Badge>Not in force</Badge>}
        <span className="ml-auto flex items-center gap-1">
          <CopyButton
            text={curlFor("PUT", `/agents/policies/${policy.id}`, body)}
            label="Copy the curl command"
          />
          <Button onClick={onEdit}>Edit</Button>
          <Button kind="danger" onClick={onDelete}>
            Delete
          </Button>
        </span>
      </div>
      <p className="break-words">
        <bdi>{policy.reason}</bdi>
      </p>
      <p className="text-muted flex flex-wrap gap-x-3 text-sm [&>*]:min-w-0 [&>*]:break-words">
        <span>{policy.id}</span>
        <span>Covers {policy.tools.join(", ")}</span>
        {policy.agents.length > 0 && <span>Agents {policy.agents.join(", ")}</span>}
        {policy.teams.length > 0 && <span>Teams {policy.teams.join(", ")}</span>}
        {policy.effect === "ask" && (
          <>
            <span>{policy.approvals === 2 ? "Two approvals" : "One approval"}</span>
            <span>Expires after {policy.expiresAfter}</span>
            {policy.remember !== "none" && <span>Remembered: {policy.remember}</span>}
            {policy.approvers.length > 0 && <span>Approvers {policy.approvers.join(", ")}</span>}
          </>
        )}
      </p>
      {policy.when !== null && (
        <p className="text-sm">
          If <code className="break-all">{JSON.stringify(policy.when)}</code>
        </p>
      )}
      {unknownEntries(policy).map((text) => (
        <p key={text} className="text-warning flex items-start gap-1 text-sm break-words">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0">{text}</span>
        </p>
      ))}
    </li>
  );
}
