import * as z from "zod";
import * as schema from "../../http/schemas.ts";

const type = schema.text(
  "The kind of file, as requested in `deliverables`, such as `report`. If a worker uploads a file without a type, the extension of its name.",
);
const name = schema.text("The file's name, unique among the files of one outcome.");
const format = schema.text(
  "The file's media type, which its `Content-Type` repeats.",
  "text/markdown; charset=utf-8",
);
const size = schema.count("Size in bytes.");
const sha256 = schema.matching(
  /^[0-9a-f]{64}$/,
  "SHA-256 of the bytes in hex; absent if it was not computed. Files that workers upload have it.",
);

const deliverableFieldSchemas = {
  type,
  name,
  url: z.url().describe("The URL of the bytes, for keys that may read the task."),
  size,
  createdAt: schema.instant("When the file was stored."),
  sha256: sha256.optional(),
};

export const deliverableSchema = schema.component(
  "Deliverable",
  "A file that a task has delivered.",
  deliverableFieldSchemas,
);

export type DeliverableResponse = schema.ResponseOf<typeof deliverableSchema>;

const downloadableDeliverableSchema = schema.component(
  "DownloadableDeliverable",
  "A file that a task has delivered, with a link that needs no key.",
  {
    ...deliverableFieldSchemas,
    downloadUrl: z
      .url()
      .describe(
        "A signed link to the bytes that needs no key and works for an hour. Everybody who has the link can download the file.",
      ),
    format,
  },
);

export type DownloadableDeliverableResponse = schema.ResponseOf<
  typeof downloadableDeliverableSchema
>;

export const uploadedFileSchema = schema.component(
  "UploadedFile",
  "A file that a worker has uploaded. It can be downloaded once the work is in review or completed.",
  { ...deliverableFieldSchemas, format },
);

export type UploadedFileResponse = schema.ResponseOf<typeof uploadedFileSchema>;

/** A file in an event. */
export const storedFileSchema = schema.component("StoredFile", "A file as the log records it.", {
  type,
  name,
  format,
  size,
  createdAt: schema.instant("When the file was stored."),
  sha256: sha256.optional(),
});

/** GET …/deliverables. */
export const deliverableListSchema = schema.component("Deliverables", "The files of a task.", {
  taskId: schema.text("The task's id."),
  deliverables: schema.list(
    downloadableDeliverableSchema,
    "The files, in the order of their creation; may be empty.",
  ),
});
export type DeliverableListResponse = schema.ResponseOf<typeof deliverableListSchema>;
