import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../api/client.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { partsOf, type ResultPart } from "./result-content.ts";
import { spaceUnits } from "../ui/relative-time.ts";
import { formatCost } from "./words.ts";

export interface Call {
  readonly invocation: Schemas["Invocation"] | Schemas["PendingApproval"];
  readonly requestId: string | null;
}

/** A link to this service; null for anything else, because a tool's own result can contain the same field. */
function ownAddressOf(value: unknown): string | null {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isOwn = url?.origin === location.origin && url.pathname.startsWith("/agents/tools/");
  return isOwn ? url.href : null;
}

/** The result of a call, or the approval that it waits for. */
export function CallResult({ call }: { readonly call: Call }) {
  const { invocation, requestId } = call;
  return "approvalId" in invocation ? (
    <StoredCall approval={invocation} />
  ) : (
    <Result invocation={invocation} requestId={requestId} />
  );
}

function StoredCall({ approval }: { readonly approval: Schemas["PendingApproval"] }) {
  return (
    <div role="status" className="grid gap-1">
      <p>
        <Badge tone="warning">Waits for approval</Badge>
      </p>
      <p>{approval.reason}</p>
      <p>
        <Link
          to="/approvals/$approvalId"
          params={{ approvalId: approval.approvalId }}
          className="text-accent underline"
        >
          Open the stored call
        </Link>
      </p>
    </div>
  );
}

/** The result of a call, its duration, cost and request id. */
function Result({
  invocation,
  requestId,
}: {
  readonly invocation: Schemas["Invocation"];
  readonly requestId: string | null;
}) {
  const { result, usage } = invocation;
  const parts = partsOf(result);
  const [isJsonChosen, setIsJsonChosen] = useState(false);
  const isJson = isJsonChosen || parts.length === 0;
  const json = JSON.stringify(result, null, 2);
  const downloadUrl = "downloadUrl" in result ? ownAddressOf(result.downloadUrl) : null;
  return (
    <div className="grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone="success" icon={<CircleCheck aria-hidden />}>
          Succeeded
        </Badge>
        <span>{spaceUnits(usage.duration)}</span>
        <span>{formatCost(usage.cost)}</span>
      </p>
      {requestId !== null && (
        <p className="text-muted flex flex-wrap items-center gap-1 text-sm break-all">
          Request {requestId}
          <CopyButton text={requestId} label="Copy the request id" />
        </p>
      )}
      <div className="flex flex-wrap items-center gap-1">
        {parts.length > 0 && (
          <>
            <Choice isOn={!isJson} onClick={() => setIsJsonChosen(false)}>
              Preview
            </Choice>
            <Choice isOn={isJson} onClick={() => setIsJsonChosen(true)}>
              JSON
            </Choice>
          </>
        )}
        <CopyButton text={json} label="Copy the result as JSON" />
        {downloadUrl !== null && (
          <a href={downloadUrl} download className={buttonClass()}>
            Download the complete result
          </a>
        )}
      </div>
      {isJson ? (
        <Text text={json} label="Result as JSON" />
      ) : (
        parts.map((part) => <Part key={part.label} part={part} />)
      )}
    </div>
  );
}

function Choice({
  isOn,
  onClick,
  children,
}: {
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: string;
}) {
  return (
    <Button
      kind="quiet"
      aria-pressed={isOn}
      className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

function Part({ part }: { readonly part: ResultPart }) {
  return (
    <figure className="grid min-w-0 gap-1">
      <figcaption className="text-muted text-sm break-all">{part.label}</figcaption>
      {part.kind === "image" ? (
        <img
          src={part.src}
          alt={`Result: ${part.label}`}
          className="border-border max-h-[70dvh] max-w-full rounded-md border bg-white"
        />
      ) : (
        <Text text={part.text} label={part.label} />
      )}
    </figure>
  );
}

function Text({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      role="region"
      className="bg-sunken border-border max-h-[70dvh] min-w-0 overflow-auto rounded-md border p-2 text-sm break-words whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
