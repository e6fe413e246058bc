-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `limits` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope_kind` text NOT NULL,
	`scope_id` text NOT NULL,
	`measure` text NOT NULL,
	`per` text NOT NULL,
	`time_zone` text NOT NULL,
	`amount` real NOT NULL,
	`warn_at` real NOT NULL,
	`on_exceeded` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
