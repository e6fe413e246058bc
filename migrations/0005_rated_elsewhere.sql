-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `rated_elsewhere` (
	`task_id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`rating` real NOT NULL
) WITHOUT ROWID;
