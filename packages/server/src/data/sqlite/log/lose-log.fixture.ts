import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { openDatabase } from '../database/database.ts'

/**
 * Removes everything that one store has appended to the log, while two stores are open, as a failed sync and a
 * full page cache do, and writes with the other store.
 */
process.once('uncaughtException', (error) => {
  process.stderr.write(`${error.name}: ${error.message}\n`)
  process.exit(7)
})
const [file, statement, writesOn] = process.argv.slice(2) as [string, string, 'one' | 'other']
const [one, other] = [await openDatabase(file), await openDatabase(file)]
await one.write(() => one.writer.exec('CREATE TABLE rows (id)'))
const before = statSync(`${file}-wal`).size
const loser = writesOn === 'one' ? other : one
await loser.write(() => loser.writer.exec(statement))
const log = openSync(`${file}-wal`, 'r+')
writeSync(log, Buffer.alloc(statSync(`${file}-wal`).size - before), 0, null, before)
closeSync(log)
const { write, writer } = { one, other }[writesOn]
for (let tries = 0; tries < 2; tries += 1) {
  await write(() => writer.exec('INSERT INTO rows VALUES (2)')).catch(() => {})
}
