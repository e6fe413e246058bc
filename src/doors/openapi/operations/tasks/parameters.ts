/** A task named in a path. */
export const id = {
  description: "The task's id: the 64 hex digits that creating it answered with.",
  example: "12ae4dc47397aed50034c62c84f022e436dd3183d3ce661b99fc8859c934d5ca",
};

/** The file of a task named in a path. */
export const name = {
  description:
    "The file's name, percent-encoded: 1 to 128 characters, without slashes and control characters, and not `.` or `..`.",
  example: "summary.txt",
};
