import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { toolsQuery } from "../tools/queries.ts";
import { agentsQuery } from "../agents/queries.ts";
import { useHasScope } from "../session/identity.ts";
import { foundTasksQuery, type ListedTask } from "../tasks/queries.ts";
import { STATUS_LABELS } from "../tasks/status-labels.ts";
import { titleOf } from "../tasks/task-title.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { DESTINATIONS } from "./navigation.ts";
import { listShortcuts } from "./shortcuts.ts";
import { setTheme, THEMES } from "./theme.ts";

/** How long typing must pause before tasks are searched. */
const SEARCH_PAUSE_MS = 200;
const TASK_ID = /^[0-9a-f]{64}$/;
/** The keys with which a person chooses an item, without and with Ctrl. */
const MOVES: ReadonlySet<string> = new Set(["ArrowUp", "ArrowDown", "Home", "End"]);
const CTRL_MOVES: ReadonlySet<string> = new Set(["n", "p", "j", "k"]);

export interface PaletteProps {
  /** What is searched. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onClose: () => void;
}

/** Goes to a view, a task, a tool or an agent, or runs an action of the current view. */
export function CommandPalette({ text, onChange, onClose }: PaletteProps) {
  const navigate = useNavigate();
  const { data: tools } = useQuery(toolsQuery({}));
  const { data: agents } = useQuery({
    ...agentsQuery,
    enabled: useHasScope("agents:manage"),
  });
  const tasks = useQuery({
    ...foundTasksQuery(useDebounced(text.trim(), SEARCH_PAUSE_MS)),
    placeholderData: keepPreviousData,
  });
  const found = tasks.data?.tasks ?? [];
  const id = text.trim();
  const [selected, setSelected] = useState("");
  /** Whether the person chose an item since the text changed. */
  const hasChosen = useRef(false);
  // Found tasks appear above the selected item, so select the first found task.
  const firstFound = found[0] && valueOf(found[0], text);
  useEffect(() => {
    if (firstFound !== undefined && !TASK_ID.test(id) && !hasChosen.current)
      setSelected(firstFound);
  }, [firstFound, id]);

  function choose(act: () => void): () => void {
    return () => {
      onClose();
      act();
    };
  }

  return (
    <Dialog title="Search and run actions" onClose={onClose}>
      <Command
        label="Search"
        loop
        value={selected}
        onValueChange={setSelected}
        onKeyDown={({ key, ctrlKey }) => {
          hasChosen.current ||= MOVES.has(key) || (ctrlKey && CTRL_MOVES.has(key));
        }}
        onPointerMove={({ target }) => {
          hasChosen.current ||= target instanceof Element && target.closest("[cmdk-item]") !== null;
        }}
      >
        <Command.Input
          autoFocus
          value={text}
          onValueChange={(next) => {
            hasChosen.current = false;
            onChange(next);
          }}
          placeholder="A task, a tool, an agent, a view or an action"
          className="border-border-strong bg-surface w-full rounded-md border px-2.5 py-2"
        />
        <Command.List className="mt-2 max-h-[60dvh] overflow-y-auto">
          <Command.Empty className="text-muted p-3">
            {tasks.isFetching ? "Searching …" : "No results."}
          </Command.Empty>
          {TASK_ID.test(id) && (
            <Item
              value={id}
              onSelect={choose(
                () => void navigate({ to: "/tasks/$taskId", params: { taskId: id } }),
              )}
            >
              Open the task {id.slice(0, 12)}…
            </Item>
          )}
          {found.length > 0 && (
            <Group heading="Tasks">
              {found.map((task) => (
                <Item
                  key={task.taskId}
                  value={valueOf(task, text)}
                  onSelect={choose(
                    () => void navigate({ to: "/tasks/$taskId", params: { taskId: task.taskId } }),
                  )}
                >
                  <bdi>{titleOf(task)}</bdi>
                  <span className="text-muted ml-2 text-sm">{STATUS_LABELS[task.status]}</span>
                </Item>
              ))}
            </Group>
          )}
          <Group heading="Actions">
            {listShortcuts()
              .filter(({ keys }) => !keys.startsWith("g "))
              .map(({ keys, label, run }) => (
                <Item key={keys} value={label} onSelect={choose(run)}>
                  {label}
                </Item>
              ))}
            {THEMES.map((theme) => (
              <Item key={theme} value={`Theme ${theme}`} onSelect={choose(() => setTheme(theme))}>
                Theme: {theme}
              </Item>
            ))}
          </Group>
          <Group heading="Views">
            {DESTINATIONS.map(({ to, label }) => (
              <Item key={to} value={label} onSelect={choose(() => void navigate({ to }))}>
                {label}
              </Item>
            ))}
          </Group>
          <Group heading="Agents">
            {agents?.agents.map((agent) => (
              <Item
                key={agent.id}
                value={`${agent.name} ${agent.id}`}
                onSelect={choose(
                  () => void navigate({ to: "/agents/$agentId", params: { agentId: agent.id } }),
                )}
              >
                <bdi>{agent.name}</bdi>
              </Item>
            ))}
          </Group>
          <Group heading="Tools">
            {tools?.tools.map((tool) => (
              <Item
                key={tool.id}
                value={`${tool.name} ${tool.id}`}
                onSelect={choose(
                  () => void navigate({ to: "/tools/$toolId", params: { toolId: tool.id } }),
                )}
              >
                <bdi>{tool.name}</bdi>
              </Item>
            ))}
          </Group>
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Contains the typed text, because the palette must not filter the tasks that the service found. */
function valueOf({ taskId }: ListedTask, text: string): string {
  return `${taskId} ${text}`.trim();
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:text-muted [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-sm"
    >
      {children}
    </Command.Group>
  );
}

function Item({
  value,
  onSelect,
  children,
}: {
  readonly value: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="aria-selected:bg-accent-soft aria-selected:text-accent cursor-pointer truncate rounded-md px-2 py-1.5"
    >
      {children}
    </Command.Item>
  );
}
