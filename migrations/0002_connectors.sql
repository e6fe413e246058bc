-- Edited by hand before it landed: WITHOUT ROWID, and the trigger that takes retired tools out of search.
CREATE TABLE `credentials` (
	`tool_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`sealed` text NOT NULL,
	`revision` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `capabilities` ADD `operation` text;--> statement-breakpoint
CREATE INDEX `capabilities_position` ON `capabilities` (`tool_id`,`position`);--> statement-breakpoint
ALTER TABLE `tools` ADD `connector` text DEFAULT '{"type":"builtin"}' NOT NULL;--> statement-breakpoint
ALTER TABLE `tools` ADD `source` text;--> statement-breakpoint
ALTER TABLE `tools` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `tools` ADD `updated_at` integer;--> statement-breakpoint
ALTER TABLE `tools` ADD `retired_at` integer;
--> statement-breakpoint
CREATE TRIGGER tools_search_retire AFTER UPDATE OF retired_at ON tools WHEN new.retired_at IS NOT NULL AND old.retired_at IS NULL BEGIN
  DELETE FROM tools_search WHERE rowid = old.seq;
END;
