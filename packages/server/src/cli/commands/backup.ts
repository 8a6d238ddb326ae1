import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { backUp } from '../../compose.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore, type SharedOptions } from '../command.ts'
import { UsageError } from '../failure.ts'
import { locationOf } from '../location.ts'

const MEGABYTE = 1_000_000

export function backupCommand(): Command {
  return command('backup', 'copy the data folder, also while a server uses it', [
    'backup /var/backups/fleetgate-2027-01-31',
    'backup --data /var/lib/fleetgate /mnt/copy --json',
  ])
    .argument('<dir>', 'a new or empty folder, which can be served like the first one')
    .action((folder: string, options: SharedOptions, self: Command) => {
      if ('database' in locationOf(self)) {
        throw new UsageError(
          "a database is backed up with PostgreSQL's own tools, such as pg_dump; see docs/operating/backups.md",
        )
      }
      return onStore(backup)(folder, options, self)
    })
}

async function backup(
  store: Store,
  options: SharedOptions,
  folder: string,
): Promise<CommandResult> {
  const start = performance.now()
  await backUp(store, options.data, folder, showProgress)
    .finally(endProgress)
    .catch((error: Error) => {
      throw new Error(`the backup to '${folder}' failed: ${error.message}`, { cause: error })
    })
  const seconds = Math.round(performance.now() - start) / 1000
  const organizations = (await store.organizations.list()).length
  const files = readdirSync(folder)
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  return {
    json: { folder: resolve(folder), files, bytes, organizations, seconds },
    text: `Copied ${(bytes / MEGABYTE).toFixed(1)} MB to ${folder} in ${seconds} s; serve it with 'fleetgate serve --data ${folder}'`,
  }
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(
    `\r\u001b[K${Math.floor((100 * done) / Math.max(total, 1))} % of ${total} pages`,
  )
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}
