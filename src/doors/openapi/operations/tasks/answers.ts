/** Answers that show a whole task. */
export const WITH_VERSION = {
  ETag: "The version of the task, which rises with each of its events: for `If-Match` of PATCH.",
};
