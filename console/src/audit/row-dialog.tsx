import { Link } from "@tanstack/react-router";
import { describeUserAgent } from "../keys/user-agent.ts";
import { Button } from "../ui/button.tsx";
import { ButtonRow } from "../ui/button-row.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { JsonText } from "../ui/json-text.tsx";
import { formatExactTime } from "../ui/relative-time.ts";
import type { AuditRow } from "./queries.ts";
import { labelOf } from "./search.ts";

/** One row of the log: who did it, from where, and the state before and after. */
export function RowDialog({
  row,
  onClose,
}: {
  readonly row: AuditRow;
  readonly onClose: () => void;
}) {
  const { seq, at, keyId, sessionId, address, userAgent, requestId, hash } = row;
  return (
    <Dialog
      title={
        <>
          {labelOf(row.action)}: <bdi>{row.subjectId}</bdi>
        </>
      }
      onClose={onClose}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Facts>
          <Fact name="Time">{formatExactTime(at)}</Fact>
          <Fact name="Key">
            <Link
              to="/audit"
              search={{ keyId }}
              onClick={onClose}
              className="text-accent underline"
            >
              {keyId}
            </Link>
            {sessionId !== null && " in the console"}
          </Fact>
          {address !== null && <Fact name="Address">{address}</Fact>}
          {userAgent !== null && (
            <Fact name="Client">
              <bdi title={userAgent}>{describeUserAgent(userAgent)}</bdi>
            </Fact>
          )}
          {requestId !== null && (
            <Fact name="Request">
              <span className="break-all">{requestId}</span>{" "}
              <CopyButton text={requestId} label="Copy the request id" />
            </Fact>
          )}
          <Fact name="Row">{seq.toLocaleString("en")}</Fact>
          <Fact name="Hash">
            <span className="break-all">{hash}</span>{" "}
            <CopyButton text={hash} label="Copy the hash" />
          </Fact>
        </Facts>
        <div className="grid gap-4 sm:grid-cols-2 [&>*]:min-w-0">
          <State title="Before" state={row.before} />
          <State title="After" state={row.after} />
        </div>
        <ButtonRow>
          <Link
            to="/audit"
            search={{ subjectId: row.subjectId }}
            onClick={onClose}
            className="text-accent mr-auto self-center underline"
          >
            All rows about this subject
          </Link>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </ButtonRow>
      </div>
    </Dialog>
  );
}

function State({
  title,
  state,
}: {
  readonly title: string;
  readonly state: Readonly<Record<string, unknown>> | null;
}) {
  if (state !== null) return <JsonText label={title} value={state} />;
  return (
    <section className="grid content-start gap-1">
      <h3 className="text-muted">{title}</h3>
      <p>Nothing</p>
    </section>
  );
}
