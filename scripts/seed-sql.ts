// Prints the seed data as SQL, for `wrangler d1 execute`: npm run -s seed:sql > seed.sql
import { seedSql } from "./local.ts";

process.stdout.write(seedSql());
