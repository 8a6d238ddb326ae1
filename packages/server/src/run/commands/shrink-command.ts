import type { Command } from 'commander'
import type { OnShrinking } from '../../engine/store/store-status.ts'
import { type CommandResult, command, noDataIn, print, type SharedOptions } from '../command.ts'
import { hasStore, shrinkStore } from '../compose.ts'
import { locationOf } from '../location.ts'
import { megabytes, quietOption, withProgress } from '../terminal.ts'

type ShrinkOptions = SharedOptions & { quiet?: boolean }

export function shrinkCommand(description: string): Command {
  return command('shrink', description, [
    'shrink --data /var/lib/fleetgate',
    'shrink --database postgres://localhost/fleetgate --json',
  ])
    .addOption(quietOption())
    .action(async (options: ShrinkOptions, self: Command) => {
      print(await shrink(options, self), options.json === true)
    })
}

const LOG_NOTES = {
  cleared: '',
  kept: '\nPostgreSQL keeps old WAL segments for an archive, a replica or wal_keep_size. They still contain deleted rows: run this command again when they are gone',
  not_allowed:
    '\nThe log of PostgreSQL still has deleted rows: run this as a superuser, or as a role that may run CHECKPOINT, pg_switch_wal() and pg_ls_waldir()',
}

function progressText(progress: Parameters<OnShrinking>[0]): string {
  if ('waitsFor' in progress) return `waiting for ${progress.waitsFor}`
  const { part, done, total } = progress
  return `rewriting ${part}: ${megabytes(done)} of ${megabytes(total)}`
}

async function shrink({ quiet }: ShrinkOptions, self: Command): Promise<CommandResult> {
  const location = locationOf(self)
  if ('folder' in location && !hasStore(location.folder)) throw noDataIn(location.folder)
  const began = performance.now()
  const { before, after, log, skipped } = await withProgress(quiet, (signal, show) =>
    shrinkStore(location, (progress) => show(() => progressText(progress)), signal),
  )
  const seconds = Math.round(performance.now() - began) / 1000
  const result = {
    json: { bytes_before: before, bytes_after: after, seconds, log, skipped },
    text: `Shrunk ${megabytes(before)} to ${megabytes(after)} in ${seconds} s${LOG_NOTES[log]}`,
  }
  return skipped.length === 0 ? result : { ...result, failure: skipped.join('; ') }
}
