import { Link } from "@tanstack/react-router";
import type { Task } from "../queries.ts";
import { TABS, type Tab } from "./search.ts";

const LABELS: Readonly<Record<Tab, string>> = {
  activity: "Activity",
  calls: "Tool calls",
  deliverables: "Deliverables",
  feedback: "Feedback",
  raw: "Raw data",
};

export function TaskTabs({ task, current }: { readonly task: Task; readonly current: Tab }) {
  const files = task.deliverables?.length ?? 0;
  return (
    <nav aria-label="Parts of the task" className="border-border border-b">
      <ul className="flex flex-wrap">
        {TABS.map((tab) => (
          <li key={tab}>
            <Link
              to="/tasks/$taskId"
              params={{ taskId: task.taskId }}
              search={tab === "activity" ? {} : { tab }}
              resetScroll={false}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={tab === current ? "page" : undefined}
              className="text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text inline-block border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap -outline-offset-2"
            >
              {LABELS[tab]}
              {tab === "deliverables" && files > 0 && ` (${files})`}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
