import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { api, dataOf, type Schemas } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Card, ErrorPanel, Loading } from "../ui/panels.tsx";
import { ImportFields } from "./import-fields.tsx";
import { EMPTY_IMPORT, importBodyOf, type ImportDraft } from "./import-input.ts";
import { ImportedTool, ImportPreview } from "./import-preview.tsx";

/** Three steps: choose the source, read the preview of a dry run, import. */
export function ImportWizard({ initial = {} }: { readonly initial?: Partial<ImportDraft> }) {
  const [draft, setDraft] = useState<ImportDraft>({ ...EMPTY_IMPORT, ...initial });
  const preview = useImport(true);
  const write = useImport(false);

  /** A preview of other input would be misleading. */
  function change(part: Partial<ImportDraft>): void {
    setDraft((current) => ({ ...current, ...part }));
    preview.reset();
    write.reset();
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    write.reset();
    preview.mutate(draft);
  }

  if (write.data !== undefined) {
    return (
      <ImportedTool
        imported={write.data}
        onAgain={() => {
          preview.reset();
          write.reset();
          setDraft(EMPTY_IMPORT);
        }}
      />
    );
  }
  return (
    <div className="grid max-w-3xl gap-4">
      <Card title="Choose the source">
        <form onSubmit={submit} className="grid gap-4">
          <ImportFields draft={draft} error={preview.error} onChange={change} />
          {preview.error && <ErrorPanel error={preview.error} />}
          <div>
            <Button
              kind={preview.data === undefined ? "primary" : "secondary"}
              type="submit"
              disabled={preview.isPending || write.isPending}
            >
              {preview.isPending ? "Reading the source …" : "Preview the import"}
            </Button>
          </div>
        </form>
      </Card>
      {preview.isPending && <Loading what="the source (up to 30 seconds)" />}
      {preview.data && (
        <Card title="Review the changes">
          <ImportPreview imported={preview.data} />
          <div className="mt-4 grid justify-items-start gap-3">
            {write.error && <ErrorPanel error={write.error} />}
            <Button kind="primary" disabled={write.isPending} onClick={() => write.mutate(draft)}>
              {write.isPending ? "Importing …" : "Import"}
            </Button>
          </div>
        </Card>
      )}
    </div>
  );
}

function useImport(dryRun: boolean) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (draft: ImportDraft): Promise<Schemas["ImportedTool"]> =>
      dataOf(
        api
          .POST("/agents/tools/import", { body: { ...importBodyOf(draft), dryRun } })
          // The response is text only if the request asks for a stream.
          .then(({ data, error, response }) => ({
            data: typeof data === "string" ? undefined : data,
            error,
            response,
          })),
      ),
    onSuccess: async ({ tool }) => {
      if (dryRun) return;
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ["tools"] }),
        queryClient.invalidateQueries({ queryKey: ["tool", tool.id] }),
      ]);
    },
  });
}
