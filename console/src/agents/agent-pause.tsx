import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { OctagonPause } from "lucide-react";
import { useState, type ReactNode, type SubmitEvent } from "react";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextArea } from "../ui/field.tsx";
import { ErrorPanel } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { submitOnCtrlEnter } from "../tasks/form-actions.tsx";
import { describeEvidence } from "./pause.ts";
import { agentsQuery, usePauseAgent, usePauseAllAgents, useResumeAllAgents } from "./queries.ts";
import type { Agent } from "./queries.ts";

/** Why the agent is paused, and what the service measured. */
export function PausePanel({ agent }: { readonly agent: Agent }) {
  const { paused } = agent;
  if (paused === null) return null;
  return (
    <section
      aria-label="Pause"
      className="border-warning/40 bg-warning-soft text-warning flex gap-2 rounded-md border p-3"
    >
      <OctagonPause aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 gap-1 break-words">
        <p>
          The agent is paused since <Time at={paused.at} />
          {paused.by !== undefined && (
            <>
              {" "}
              by the key <code>{paused.by}</code>
            </>
          )}
          {paused.cause === "pause-all" && ", together with all agents"}. Its tasks wait until it is
          resumed.
        </p>
        {paused.reason !== undefined && (
          <p>
            <bdi>{paused.reason}</bdi>
          </p>
        )}
        {paused.evidence !== undefined && (
          <p>
            {describeEvidence(paused.evidence)}{" "}
            <Link
              to="/tasks/$taskId"
              params={{ taskId: paused.evidence.taskId }}
              className="underline"
            >
              Open the task
            </Link>
          </p>
        )}
      </div>
    </section>
  );
}

export function PauseDialog({
  agent,
  onPaused,
  onClose,
}: {
  readonly agent: Agent;
  readonly onPaused: () => void;
  readonly onClose: () => void;
}) {
  const pause = usePauseAgent(agent.id);
  return (
    <ReasonDialog
      title="Pause the agent?"
      confirm="Pause"
      mutation={pause}
      onConfirm={(reason) => pause.mutate(reason, { onSuccess: onPaused })}
      onClose={onClose}
    >
      <p>
        <bdi className="font-medium">{agent.name}</bdi> can make no more tool calls, and its workers
        stop. Its tasks wait until the agent is resumed, and no attempt fails.
      </p>
    </ReasonDialog>
  );
}

/** Stops all agents, and resumes those that were stopped in this way. */
export function PauseAllButtons({ onDone }: { readonly onDone: (text: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(agentsQuery);
  const pause = usePauseAllAgents();
  const resume = useResumeAllAgents();
  const close = (): void => setOpen(false);
  const isAnyPaused = data?.agents.some(({ paused }) => paused?.cause === "pause-all") ?? false;
  return (
    <>
      {isAnyPaused && (
        <Button
          disabled={resume.isPending}
          onClick={() =>
            resume.mutate(undefined, { onSuccess: () => onDone("The agents are resumed.") })
          }
        >
          Resume all agents
        </Button>
      )}
      <Button kind="danger" onClick={() => setOpen(true)}>
        Pause all agents
      </Button>
      {resume.error && <ErrorPanel error={resume.error} />}
      {isOpen && (
        <ReasonDialog
          title="Pause all agents?"
          confirm="Pause all agents"
          mutation={pause}
          onConfirm={(reason) =>
            pause.mutate(reason, {
              onSuccess: () => {
                close();
                onDone("All agents are paused.");
              },
            })
          }
          onClose={close}
        >
          <p>
            No agent can make tool calls, and all workers stop. All tasks wait until the agents are
            resumed, and no attempt fails. An agent that is registered later is not paused.
          </p>
        </ReasonDialog>
      )}
    </>
  );
}

function ReasonDialog({
  title,
  confirm,
  mutation,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly confirm: string;
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: (reason: string) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const [reason, setReason] = useState("");
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    onConfirm(reason.trim());
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-3">
        {children}
        <TextArea
          label="Reason (optional)"
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={submitOnCtrlEnter}
        />
        {mutation.error && <ErrorPanel error={mutation.error} />}
        <ButtonRow>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={mutation.isPending}>
            {mutation.isPending ? "Please wait …" : confirm}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  );
}
