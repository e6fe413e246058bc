-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `deleted_teams` (
	`id` text PRIMARY KEY NOT NULL,
	`deleted_at` integer NOT NULL
) WITHOUT ROWID;
