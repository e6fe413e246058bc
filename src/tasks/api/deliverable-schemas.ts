import * as z from "zod";
import * as schema from "../../http/schemas.ts";

const type = schema.text(
  "The kind of file, as requested in `deliverables`, such as `report`. Defaults to the extension of the file name if a worker uploaded the file without a type.",
);
const name = schema.text("The file's name. It is unique among the files delivered together.");
const format = schema.text(
  "The file's media type, which downloads return as `Content-Type`.",
  "text/markdown; charset=utf-8",
);
const size = schema.count("Size in bytes.");
const sha256 = schema.matching(
  /^[0-9a-f]{64}$/,
  "The file's SHA-256 in hex; absent if it was not computed. It is always present for files that workers uploaded.",
);

const deliverableFieldSchemas = {
  type,
  name,
  url: z.url().describe("The download URL, for keys that can read the task."),
  size,
  createdAt: schema.instant("When the file was stored."),
  sha256: sha256.optional(),
};

export const deliverableSchema = schema.component(
  "Deliverable",
  "A file that a task delivered.",
  deliverableFieldSchemas,
);

export type DeliverableResponse = schema.ResponseOf<typeof deliverableSchema>;

const downloadableDeliverableSchema = schema.component(
  "DownloadableDeliverable",
  "A file that a task delivered, with a download link that needs no key.",
  {
    ...deliverableFieldSchemas,
    downloadUrl: z
      .url()
      .describe(
        "A signed download link that needs no key and works for an hour. Anyone who has the link can download the file.",
      ),
    format,
  },
);

export type DownloadableDeliverableResponse = schema.ResponseOf<
  typeof downloadableDeliverableSchema
>;

export const uploadedFileSchema = schema.component(
  "UploadedFile",
  "A file that a worker uploaded. It can be downloaded once the task is in review or completed.",
  { ...deliverableFieldSchemas, format },
);

export type UploadedFileResponse = schema.ResponseOf<typeof uploadedFileSchema>;

/** A file in an event. */
export const storedFileSchema = schema.component("StoredFile", "A file as recorded in the log.", {
  type,
  name,
  format,
  size,
  createdAt: schema.instant("When the file was stored."),
  sha256: sha256.optional(),
});

/** GET …/deliverables. */
export const deliverableListSchema = schema.component("Deliverables", "A task's files.", {
  taskId: schema.text("The task's id."),
  deliverables: schema.list(
    downloadableDeliverableSchema,
    "The files, in order of creation; may be empty.",
  ),
});
export type DeliverableListResponse = schema.ResponseOf<typeof deliverableListSchema>;
