-- Edited by hand: WITHOUT ROWID, because the tables are keyed by their own column.
CREATE TABLE `credentials` (
	`tool_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`sealed` text NOT NULL,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `retired_tools` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`retired_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `capabilities` ADD `operation` text;--> statement-breakpoint
CREATE INDEX `capabilities_position` ON `capabilities` (`tool_id`,`position`);--> statement-breakpoint
ALTER TABLE `tools` ADD `connector` text DEFAULT '{"type":"builtin"}' NOT NULL;--> statement-breakpoint
ALTER TABLE `tools` ADD `source` text;--> statement-breakpoint
ALTER TABLE `tools` ADD `version` integer DEFAULT 1 NOT NULL;