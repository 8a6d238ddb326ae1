import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { openDatabase } from './database.ts'

/** Takes the last frame from under two stores, as a failed sync and a full page cache do, and writes on. */
process.once('uncaughtException', (error) => {
  process.stderr.write(`${error.name}: ${error.message}\n`)
  process.exit(7)
})
const file = process.argv[2]!
const [one, other] = [await openDatabase(file), await openDatabase(file)]
await one.write(() => one.writer.exec('CREATE TABLE rows (id)'))
await one.write(() => one.writer.exec('INSERT INTO rows VALUES (1)'))
const log = openSync(`${file}-wal`, 'r+')
writeSync(log, Buffer.alloc(4_096), 0, 4_096, statSync(`${file}-wal`).size - 4_096)
closeSync(log)
await other.write(() => other.writer.exec('INSERT INTO rows VALUES (2)')).catch(() => {})
