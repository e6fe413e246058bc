-- Edited by hand: WITHOUT ROWID, because the table is keyed by its own column.
CREATE TABLE `policies` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`effect` text NOT NULL,
	`tools` text NOT NULL,
	`agents` text NOT NULL,
	`teams` text NOT NULL,
	`condition` text,
	`reason` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
