import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { curlFor } from "../api/curl.ts";
import { useShortcuts } from "../layout/shortcuts.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { EmptyState, ErrorPanel, Loading, ViewHeader } from "../ui/panels.tsx";
import { Time } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { AuditFilterBar } from "./audit-filter-bar.tsx";
import { auditQuery, useVerifyLog, type AuditRow } from "./queries.ts";
import { RowDialog } from "./row-dialog.tsx";
import { exportAddress, labelOf, readAuditSearch } from "./search.ts";

const ROW_HEIGHT = 64;
const GRANT_COMMAND = curlFor("POST", "/agents/tools/access", {
  agentId: "researcher",
  toolId: "text-analyst",
});

/** Who changed what, when and from where. */
export function AuditView() {
  const search = useSearch({ from: "/shell/audit" });
  const navigate = useNavigate();
  const [opened, setOpened] = useState<AuditRow>();
  const query = useInfiniteQuery(auditQuery(search));
  const verification = useVerifyLog();
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const verify = (): void => verification.mutate();
  useShortcuts([{ keys: "v", label: "Verify the audit log", run: verify }]);
  return (
    <>
      <ViewHeader title="Audit">
        <a href={exportAddress(search)} download className={buttonClass()}>
          <Download aria-hidden className="size-4" />
          Export
        </a>
        <Button disabled={verification.isPending} onClick={verify}>
          <ShieldCheck aria-hidden className="size-4" />
          {verification.isPending ? "Verifying …" : "Verify"}
        </Button>
      </ViewHeader>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <VerificationResult verification={verification} />
        <AuditFilterBar
          search={search}
          onChange={(next) => void navigate({ to: "/audit", search: readAuditSearch(next) })}
        />
        {query.isPending && <Loading what="the audit log" />}
        {query.error && query.data === undefined && (
          <ErrorPanel error={query.error} retry={() => void query.refetch()} />
        )}
        {query.isSuccess && rows.length === 0 && (
          <NoRows isFiltered={Object.keys(search).length > 0} />
        )}
        {rows.length > 0 && (
          <VirtualList
            label="Audit log, newest first"
            items={rows}
            keyOf={({ seq }) => String(seq)}
            estimatedHeight={ROW_HEIGHT}
            pages={query}
          >
            {(row) => <Row row={row} onOpen={() => setOpened(row)} />}
          </VirtualList>
        )}
      </div>
      {opened !== undefined && <RowDialog row={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Row({ row, onOpen }: { readonly row: AuditRow; readonly onOpen: () => void }) {
  const { at, keyId, address } = row;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="hover:bg-sunken grid w-full gap-0.5 p-3 text-left"
    >
      <span className="flex flex-wrap gap-x-2">
        <span className="font-medium">{labelOf(row.action)}</span>
        <bdi className="min-w-0 break-all">{row.subjectId}</bdi>
      </span>
      <span className="text-muted flex flex-wrap gap-x-3 text-sm">
        <Time at={at} />
        <span>{keyId === "root" ? "Root key" : `Key ${keyId}`}</span>
        {address !== null && <span className="break-all">{address}</span>}
      </span>
    </button>
  );
}

function NoRows({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No rows match the filters" />;
  return (
    <EmptyState title="Nothing has been recorded yet" command={GRANT_COMMAND}>
      Each change of the configuration adds a row.
    </EmptyState>
  );
}

const PROBLEMS = {
  row_missing: "does not exist",
  row_altered: "was changed after it was written",
  link_broken: "does not refer to the row before it",
  hash_mismatch: "has another hash",
} as const;

function VerificationResult({
  verification: { data, error, isSuccess, mutate },
}: {
  readonly verification: ReturnType<typeof useVerifyLog>;
}) {
  if (error) return <ErrorPanel error={error} retry={() => mutate()} />;
  if (!isSuccess) return null;
  if (data.valid) {
    return (
      <Notice>
        The log is unchanged. Rows verified: {data.rows.toLocaleString("en")}. Hash of the last row:{" "}
        <span className="break-all">{data.lastHash}</span>
      </Notice>
    );
  }
  const what = PROBLEMS[data.problem ?? "row_altered"];
  return (
    <p role="alert" className="border-danger/40 bg-danger-soft text-danger rounded-md border p-3">
      The log was changed: row {data.brokenAt} {what}.
    </p>
  );
}
