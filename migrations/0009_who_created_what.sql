ALTER TABLE `agents` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_at` integer;--> statement-breakpoint
CREATE INDEX `keys_created_by` ON `keys` (`created_by`) WHERE "keys"."created_by" is not null;--> statement-breakpoint
ALTER TABLE `tools` ADD `created_by` text;