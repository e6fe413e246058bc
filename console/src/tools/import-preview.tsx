import { Link } from "@tanstack/react-router";
import { CircleCheck, Minus, Pencil, Plus, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Schemas } from "../api/client.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/panels.tsx";
import { count } from "./words.ts";

type Imported = Schemas["ImportedTool"];

const LISTS = [
  { name: "added", label: "Added", tone: "success", icon: Plus },
  { name: "changed", label: "Changed", tone: "warning", icon: Pencil },
  { name: "removed", label: "Removed", tone: "danger", icon: Minus },
] as const satisfies readonly {
  readonly name: keyof Imported["changes"];
  readonly label: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
}[];

/** What an import changes: capabilities, fields of the tool, origins. */
export function ImportPreview({ imported }: { readonly imported: Imported }) {
  const { changes, notes, tool } = imported;
  const isUnchanged =
    LISTS.every(({ name }) => changes[name].length === 0) &&
    changes.fields.length === 0 &&
    changes.moved.length === 0;
  return (
    <div className="grid gap-3">
      <p className="break-words">
        <bdi className="font-semibold">{tool.name}</bdi>{" "}
        {"baseUrl" in tool.connector && <code className="break-all">{tool.connector.baseUrl}</code>}
        {"url" in tool.connector && <code className="break-all">{tool.connector.url}</code>}
      </p>
      {isUnchanged && <p>Nothing changes: the tool is up to date.</p>}
      {changes.newOrigins.length > 0 && (
        <p className="text-warning break-words">
          The tool will send requests to new origins ({changes.newOrigins.join(", ")}). Its
          credentials will be deleted, because they are bound to the previous origins.
        </p>
      )}
      {LISTS.map(({ name, label, tone, icon: Icon }) => (
        <IdList
          key={name}
          ids={changes[name]}
          title={
            <Badge tone={tone} icon={<Icon aria-hidden />}>
              {label}: {changes[name].length}
            </Badge>
          }
        />
      ))}
      {changes.fields.length > 0 && (
        <p className="break-words">Changed fields of the tool: {changes.fields.join(", ")}</p>
      )}
      <p className="text-muted">
        {count(changes.unchanged, "capability", "capabilities")} unchanged
        {changes.moved.length > 0 && `, ${changes.moved.length} moved`}
      </p>
      {notes.length > 0 && (
        <details>
          <summary className="text-warning w-fit py-0.5">{count(notes.length, "note")}</summary>
          <ul className="list-disc pl-5">
            {notes.map((note) => (
              <li key={note} className="break-words">
                <bdi>{note}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function IdList({ ids, title }: { readonly ids: readonly string[]; readonly title: ReactNode }) {
  if (ids.length === 0) return null;
  return (
    <details open={ids.length <= 20}>
      <summary className="w-fit py-0.5">{title}</summary>
      <ul
        tabIndex={0}
        aria-label="Ids of the capabilities"
        className="mt-1 max-h-64 columns-1 gap-6 overflow-y-auto pl-4 sm:columns-2"
      >
        {ids.map((id) => (
          <li key={id}>
            <code className="break-all">{id}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The imported tool and what to do with it next. */
export function ImportedTool({
  imported,
  onAgain,
}: {
  readonly imported: Imported;
  readonly onAgain: () => void;
}) {
  const { tool, changes } = imported;
  return (
    <div className="max-w-3xl">
      <Card
        title={
          <span className="text-success flex items-center gap-2" role="status">
            <CircleCheck aria-hidden className="size-5" />
            Imported
          </span>
        }
      >
        <p className="mb-3 break-words">
          <bdi className="font-semibold">{tool.name}</bdi>, version {tool.version}, has{" "}
          {count(tool.totalCapabilities, "capability", "capabilities")}: {changes.added.length}{" "}
          added, {changes.changed.length} changed, {changes.removed.length} removed.
          {tool.authentication.type !== "none" && " Calls need credentials."}
        </p>
        <div className="flex flex-wrap gap-2">
          <Link
            to="/tools/$toolId"
            params={{ toolId: tool.id }}
            search={tool.authentication.type === "none" ? { tab: "try" } : { tab: "credentials" }}
            className={buttonClass("primary")}
          >
            {tool.authentication.type === "none" ? "Try it" : "Set credentials"}
          </Link>
          <Link
            to="/tools/$toolId"
            params={{ toolId: tool.id }}
            className={buttonClass("secondary")}
          >
            Open the tool
          </Link>
          <Link to="/access" className={buttonClass("secondary")}>
            Grant access
          </Link>
          <Button kind="quiet" onClick={onAgain}>
            Import another
          </Button>
        </div>
      </Card>
    </div>
  );
}
