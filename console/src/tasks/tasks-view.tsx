import { useNavigate, useSearch } from "@tanstack/react-router";
import { Columns3, Plus, Rows3 } from "lucide-react";
import { useState } from "react";
import { useShortcuts } from "../layout/shortcuts.ts";
import { useHasScope } from "../session/identity.ts";
import { Button } from "../ui/button.tsx";
import { ViewHeader } from "../ui/panels.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { TaskFilters } from "./filters.ts";
import { NewTaskDialog } from "./new-task-dialog.tsx";
import { TaskBoard } from "./task-board.tsx";
import { TaskTable } from "./task-table.tsx";

/** The board has its own order. */
function withoutSort({ sort: _sort, ...filters }: TaskFilters): TaskFilters {
  return filters;
}

/** All tasks, as a table or a board. The URL states the filters. */
export function TasksView() {
  const filters = useSearch({ from: "/shell/tasks" });
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const mayWrite = useHasScope("tasks:write");
  const isBoard = filters.view === "board";

  function setFilters(next: TaskFilters): void {
    void navigate({ to: "/tasks", search: next, replace: true });
  }
  function setView(view: "table" | "board"): void {
    const { view: _view, ...rest } = filters;
    setFilters(view === "board" ? { ...rest, view } : rest);
  }

  useShortcuts([
    ...(mayWrite ? [{ keys: "n", label: "Create a task", run: () => setIsCreating(true) }] : []),
    {
      keys: "v",
      label: isBoard ? "Show the tasks as a table" : "Show the tasks as a board",
      run: () => setView(isBoard ? "table" : "board"),
    },
  ]);

  return (
    <>
      <ViewHeader title="Tasks">
        <div role="group" aria-label="Layout" className="flex gap-1">
          <Button
            aria-pressed={!isBoard}
            className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => setView("table")}
          >
            <Rows3 aria-hidden className="size-4" />
            Table
          </Button>
          <Button
            aria-pressed={isBoard}
            className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => setView("board")}
          >
            <Columns3 aria-hidden className="size-4" />
            Board
          </Button>
        </div>
        {mayWrite && (
          <Button kind="primary" onClick={() => setIsCreating(true)}>
            <Plus aria-hidden className="size-4" />
            Create a task
          </Button>
        )}
      </ViewHeader>
      <FilterBar filters={filters} onChange={setFilters} />
      {isBoard ? (
        <TaskBoard filters={withoutSort(filters)} />
      ) : (
        <TaskTable filters={filters} onChange={setFilters} />
      )}
      {isCreating && <NewTaskDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}
