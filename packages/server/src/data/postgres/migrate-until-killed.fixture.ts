import { MIGRATIONS, migrate } from './schema.ts'

/** Migrates the given database by a further migration. Its middle takes a second, in which the test kills this process. */
const text = `
  CREATE TABLE half (a int);
  UPDATE sites SET name = 'half';
  SELECT pg_sleep(1);
`
await migrate(process.argv[2]!, [...MIGRATIONS, { text, compatibleFrom: 1 }])
