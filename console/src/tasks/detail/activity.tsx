import { useMemo } from "react";
import { useShortcuts } from "../../layout/shortcuts.ts";
import { Card } from "../../ui/panels.tsx";
import { EventList } from "./event-list.tsx";
import { Inspector } from "./inspector.tsx";
import { agentNamesIn, type TaskEvent } from "./task-log.ts";
import { useSelection } from "./use-selection.ts";
import { Waterfall } from "./waterfall-chart.tsx";

/** The events of a task, their timeline, and the data of what is selected in them. */
export function Activity({
  taskId,
  log,
}: {
  readonly taskId: string;
  readonly log: readonly TaskEvent[];
}) {
  const { selected, select } = useSelection();
  const names = useMemo(() => agentNamesIn(log), [log]);
  const index = selected === null ? -1 : log.findIndex(({ seq }) => seq === selected.event);

  function move(to: number): void {
    const event = log[to];
    if (event) select({ event: event.seq });
  }

  useShortcuts([
    {
      keys: "j",
      label: "Select the next event",
      run: () => move(Math.min(index + 1, log.length - 1)),
    },
    {
      keys: "k",
      label: "Select the previous event",
      run: () => move(index === -1 ? log.length - 1 : Math.max(0, index - 1)),
    },
  ]);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem] [&>*]:min-w-0">
      <div className="grid gap-4 [&>*]:min-w-0">
        <Card title="Events">
          <EventList
            log={log}
            names={names}
            selectedSeq={selected?.event ?? null}
            select={select}
          />
        </Card>
        <Card title="Timeline">
          <Waterfall log={log} selected={selected} select={select} />
        </Card>
      </div>
      <Inspector
        taskId={taskId}
        event={log[index] ?? null}
        names={names}
        callIndex={selected?.call ?? null}
        select={select}
        isMissing={selected !== null && index === -1}
      />
    </div>
  );
}
