ALTER TABLE `webhooks` ADD `template` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `header_names` text;