ALTER TABLE `agents` ADD `require_task` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `keys` ADD `require_task` integer DEFAULT false NOT NULL;