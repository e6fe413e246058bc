import { useQuery } from "@tanstack/react-query";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorPanel, Loading } from "../../ui/panels.tsx";
import { NewTaskDialog } from "../new-task-dialog.tsx";
import type { Task } from "../queries.ts";
import { taskLogQuery, wholeTaskQuery } from "./queries.ts";
import { missingFields, similarFields } from "./similar-task.ts";

const TITLE = "Create a similar task";

/** The form of a new task, filled with the fields of an earlier one. */
export function SimilarTaskDialog({
  task,
  onClose,
}: {
  readonly task: Task;
  readonly onClose: () => void;
}) {
  // The task that the page shows does not include a large context.
  const isWhole = task.contextBytes === undefined;
  const whole = useQuery({ ...wholeTaskQuery(task.taskId), enabled: !isWhole });
  const { data: log } = useQuery(taskLogQuery(task.taskId));
  const known = isWhole ? task : whole.data;
  if (known !== undefined && log.length > 0)
    return (
      <NewTaskDialog
        title={TITLE}
        note={missingFields(log)}
        initial={similarFields(known, log)}
        onClose={onClose}
      />
    );
  return (
    <Dialog title={TITLE} onClose={onClose}>
      {whole.error === null ? (
        <Loading what="the earlier task" />
      ) : (
        <ErrorPanel error={whole.error} retry={() => void whole.refetch()} />
      )}
    </Dialog>
  );
}
