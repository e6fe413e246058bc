import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { buttonClass } from "../../ui/button.tsx";
import type { Schemas } from "../../api/client.ts";
import type { Task } from "../queries.ts";
import { MarkdownSummary } from "./markdown-text.tsx";
import { formatBytes } from "./text-parts.ts";

/** What the agent delivered: its summary, findings and files. */
export function ResultSummary({
  task,
  result,
}: {
  readonly task: Task;
  readonly result: Schemas["TaskResult"];
}) {
  return (
    <div dir="auto" className="grid gap-2 break-words [&>*]:min-w-0">
      <h2 className="font-semibold">Result</h2>
      <MarkdownSummary source={result.summary} />
      <TextList title="Findings" texts={result.insights} />
      <TextList title="Recommendations" texts={result.recommendations} />
      {task.deliverables && task.deliverables.length > 0 && (
        <ul aria-label="Files" className="flex flex-wrap gap-2">
          {task.deliverables.map(({ name, size }) => (
            <li key={name} className="max-w-full">
              <Link
                to="/tasks/$taskId"
                params={{ taskId: task.taskId }}
                search={{ tab: "deliverables", file: name }}
                className={buttonClass("secondary", "max-w-full")}
              >
                <FileText aria-hidden className="size-4 shrink-0" />
                <bdi className="truncate">{name}</bdi>
                <span className="text-muted font-normal">{formatBytes(size)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const SHOWN_MAX = 3;

function TextList({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  const items = (some: readonly string[]) => (
    <ul className="list-disc pl-5">
      {some.map((text, index) => (
        <li key={index}>{text}</li>
      ))}
    </ul>
  );
  return (
    <div>
      <h3 className="font-medium">{title}</h3>
      {items(texts.slice(0, SHOWN_MAX))}
      {texts.length > SHOWN_MAX && (
        <details>
          <summary className="text-accent w-fit py-0.5">{texts.length - SHOWN_MAX} more</summary>
          {items(texts.slice(SHOWN_MAX))}
        </details>
      )}
    </div>
  );
}
